"""Compare answers that a judge saw two at a time, and find judges that may know whom they judge."""
