"""Players that choose a move, and what they are made of. Imports only `damludo.rules`.

    port           Limits, Choice, Player: what a match asks and gets
    search         AlphaBeta, the engine as a Player; Deepening, its iterative deepening; `stop` from any thread
    levels         levels 1 to 10 as limits and misjudgements
    memory         Searcher: the kernels of one game with their memory (begin, root_moves, score, evaluate, remembered)
    perft          lines of play counted by the kernels
    weights        the weights of the evaluation, learnt or reasoned
    features       where each weight stands and what it multiplies
    judgement      the reasons
    coding         positions of the rules as sets of squares, and back
    program        the kernels of a game, compiled and cached, or plain
    specialise     how a kernel becomes a game's own module: constants in, loops over them unrolled
    layout, draw_rules, features
                   the constants, made from the game's traits
    kernels/       moves, perft, evaluation, search: plain Python over whole numbers and one flat array

How to call a kernel: `program = program_of(variant, compiled, ("moves", "search"))`, `coded = code(variant, position,
program.form)`, then for instance `program.module["search"].evaluate(*coded.sets, coded.side, weights)`. Where in `memory`
everything lies is said in `kernels/places.py`.
"""
