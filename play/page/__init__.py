"""The page at the table: what it shows is a reduction of the match's events, what it sends are commands to the match."""
