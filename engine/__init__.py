"""Players that choose a move. Imports only `damludo.rules`."""
