"""Stored games: the journal, what it says of a match, and its PDN."""
