"""The front door for the terminal. Answers go to standard output, notes to standard error."""
