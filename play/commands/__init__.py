"""One module for each command: `add_arguments(parser)` and `run(arguments)`. Heavy imports happen inside `run`."""
