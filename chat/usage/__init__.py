"""What was asked and answered, counted by day: for the usage page, and longer than the records themselves."""
