"""The law of the games: boards, positions, legal moves, endings, the referee's verdicts. Imports nothing of Damludo."""
