"""Players that choose a move, and what they are made of. Imports only `damludo.rules`.

    port           Limits, Choice, Player, Ponderer: what a match asks and gets
    search         AlphaBeta, the engine as a Player; Deepening, its iterative deepening; `stop` from any thread
    pondering      a Player that thinks on while the other side does, in a second thread
    levels         levels 1 to 10 of each game as limits and misjudgements
    memory         Searcher: the kernels of one game with their memory (begin, root_moves, score, evaluate, remembered)
    perft          lines of play counted by the kernels
    hub            foreign engines as Players, through Hub 2 and Hub 1; what happens when they fail
    hub_server     our engine behind Hub 2; hub_text, budget, process: lines, clocks, processes
    contest, specs matches between players, and players by name
    analysis       best lines, hints, blunders, the referee's questions
    tables         endgame tables: made, checked, kept in a file, asked; table_shape: where each position stands
    weights        the weights of the evaluation, learnt or reasoned
    features       where each weight stands and what it multiplies
    judgement      the reasons
    coding         positions of the rules as sets of squares, and back
    program        the kernels of a game, compiled and cached, or plain
    specialise     how a kernel becomes a game's own module: constants in, loops over them unrolled
    layout, draw_rules, features
                   the constants, made from the game's traits
    kernels/       moves, perft, evaluation, search, tables: plain Python over whole numbers and one flat array

How to call a kernel: `program = program_of(variant, compiled, ("moves", "search"))`, `coded = code(variant, position,
program.form)`, then for instance `program.module["search"].evaluate(*coded.sets, coded.side, weights)`. Where in `memory`
everything lies is said in `kernels/places.py`.
"""
