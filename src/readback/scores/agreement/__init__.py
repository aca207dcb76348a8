"""How far those who judged agree: with each other, with people, and with themselves."""
