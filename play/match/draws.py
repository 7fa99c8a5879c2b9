"""When the machine accepts a draw."""

from damludo.engine.port import Player
from damludo.rules.ending import Result
from damludo.rules.game import Game

WORSE_MEN = 0.5
"""The machine accepts a draw when the human stands better by more than this, in men."""
LONG_GAME_PLIES = 60
"""... or, after so many plies, when the game is even."""
EVEN_MEN = 0.3
"""... as long as the machine leads by less than this, in men."""


def accepts_draw(player: Player, game: Game) -> bool:
    """Say whether a player takes the draw that the side to move offers: if it stands worse, or a long game is even."""
    score = player.choose(game).score  # for the side to move, which offers
    return score > WORSE_MEN or (len(game.moves) >= LONG_GAME_PLIES and score > -EVEN_MEN)


def draw_asked_for(player: Player, game: Game) -> Result | None:
    """Return how a draw that the side to move asks for ends a game: it may be claimed, or a player takes it; None if neither."""
    claims = game.draw_claims()
    if claims:
        return Result(None, claims[0])
    if accepts_draw(player, game):
        return Result(None, f"{game.position.side.word.capitalize()} offered a draw, and the machine accepted.")
    return None
