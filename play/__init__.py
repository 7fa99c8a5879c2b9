"""The match: composition of all parts, command line. Nobody imports it."""
