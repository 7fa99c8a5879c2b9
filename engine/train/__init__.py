"""Weights of the evaluation from the engine's own games: self-play -> positions -> fit -> match.

    positions   what is kept of a game: quiet positions with its result
    self_play   a work item, a pure function of its numbers: games of the engine against itself
    sampling    many work items, on several processors; what is there is not made again
    sparse      what the evaluation multiplies its weights with in a position
    model       which weights are learnt together
    fit         logistic regression
    generations self-play and fit again, with what was learnt
    trial       learnt weights against those of today; levels against each other
    ladder      how the levels of a game are found
    packing     the weights file, small enough
    card        what is told about learnt weights

The command is `damludo-train`, in `damludo.play.training`; docs/training.md tells how it is used.
"""
