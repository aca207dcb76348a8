"""Answers shown to a judge two at a time, and judges that may know whom they judge."""
