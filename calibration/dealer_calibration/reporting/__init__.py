"""What was found at the bench about a table, as one page and one PDF, signed off with a name."""
