"""The state as the browser gets it: JSON, whole, with everything that is needed to draw it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from damludo.play.content import layout_for
from damludo.play.page.state import ClocksShown, PageState
from damludo.robot.places import Rack, TableLayout
from damludo.rules.geometry import Board
from damludo.rules.position import PIECES, Colour, Kind, Piece
from damludo.rules.traits import Variant

LETTERS: Mapping[Piece, str] = {
    Piece.WHITE_MAN: "w",
    Piece.WHITE_KING: "W",
    Piece.BLACK_MAN: "b",
    Piece.BLACK_KING: "B",
    Piece.WHITE_PARACHUTIST: "p",
    Piece.BLACK_PARACHUTIST: "q",
}


@dataclass(frozen=True, slots=True)
class TableShown:
    """What is shown of the table itself, beside the match.

    Attributes:
        simulation: camera, gantry and hand are simulated.
        version: of the program.
        speed: simulated seconds per second.
        language: that pages speak which were not told otherwise; None: the one that the browser prefers.
        layout: where squares and racks are; None until a table is open.
        camera: size of the picture and where the board is in it; None until the board was found.
        offer: the game that was cut off and may be gone on with: "names", "time", "plies"; None if there is none.
    """

    simulation: bool = False
    version: str = ""
    speed: float = 1.0
    language: str | None = None
    layout: TableLayout | None = None
    camera: Mapping[str, Any] | None = None
    offer: Mapping[str, Any] | None = None


def as_json(state: PageState, table: TableShown, now_s: float | None) -> dict[str, Any]:
    """Return the state for the browser; `now_s` is the time on the match's clock, for the clocks that run."""
    layout = table.layout or _usual_layout(state.variant)
    return {
        "language": table.language,
        "simulation": table.simulation,
        "speed": table.speed,
        "version": table.version,
        "game": {
            **_game(state.variant),
            "square_mm": layout.square_mm,
            "disc_mm": layout.disc_diameter_mm,
        },
        "you": state.human.word,
        "flipped": state.human is Colour.BLACK,
        "level": state.level,
        "position": position_json(state.variant, state.position.cells),
        "to_move": state.position.side.word,
        "turn": None if state.turn is None else "you" if state.turn is state.human else "machine",
        "say": {
            "text": state.say.text,
            "tone": state.say.tone,
            "choices": [{"id": key, "text": text} for key, text in state.say.choices.items()],
        },
        "ruling": _ruling(state),
        "marks": {"last": list(state.last), "due": list(state.due), "wrong": list(state.wrong)},
        "moves": [
            {
                "ply": line.ply,
                "side": line.side,
                "text": line.text,
                "notation": line.notation,
                "seconds": line.seconds,
                "note": line.note,
            }
            for line in state.moves
        ],
        "sets": list(state.sets),
        "clocks": None if state.clocks is None else _clocks(state.clocks, now_s),
        "lights": {name: {"state": light.state, "text": light.text} for name, light in state.lights.items()},
        "racks": {**state.racks, "slots": _slots(layout)},
        "can": abilities(state),
        "hint": None if state.hint is None else {"text": state.hint.text, "squares": list(state.hint.squares)},
        "camera": table.camera,
        "offer": offered(state, table),
        "result": None if state.over is None else {"text": state.over["text"], "reason": state.over["reason"]},
    }


def offered(state: PageState, table: TableShown) -> Mapping[str, Any] | None:
    """Return the game that may be gone on with: it is offered until the one on the board has a move."""
    return None if state.moves else table.offer


def abilities(state: PageState) -> dict[str, Any]:
    """Return what the person may do now."""
    playing = state.over is None
    my_move = state.humans_turn and not state.stopped
    started = state.lights["camera"].state == "good"
    can = {
        "stop": True,  # at any time and by anybody
        "go": state.stopped or "go" in state.say.choices,
        "resign": playing and started,
        "draw": my_move,
        "take_back": my_move and any(line.side == state.human.word for line in state.moves),
        "hint": my_move,
        "set_position": started and playing and not state.stopped and (my_move or state.resting.tone in ("do", "ask")),
        "new_game": True,
    }
    reasons = {name: WHY_NOT[name] for name, able in can.items() if not able}
    draw_text = "Claim a draw" if state.claims else "Offer a draw"
    return {**can, "clock": True, "draw_text": draw_text, "reasons": reasons}


WHY_NOT: Mapping[str, str] = {
    "go": "Nothing was stopped.",
    "resign": "There is no game that could be given up.",
    "draw": "A draw can be claimed or offered in your turn.",
    "take_back": "A move of yours can be taken back when it is your turn again.",
    "hint": "A hint is given in your turn.",
    "set_position": "The position can be set when the machine waits for you.",
}
"""Why a command cannot be given now."""


def position_json(variant: Variant, cells: bytes) -> dict[str, str]:
    """Return the pieces by the names of their squares."""
    name = variant.board.name
    return {name(square): LETTERS[PIECES[code]] for square, code in enumerate(cells) if code}


def pieces_json(variant: Variant) -> list[str]:
    """Return the letters of the pieces that a game has."""
    return [LETTERS[piece] for piece in PIECES if piece.kind in variant.movers]


def board_json(board: Board) -> list[dict[str, Any]]:
    """Return all squares of a board, those that are not played on too, in the order a1, b1, ..."""
    playable = frozenset(board.playable)
    squares = []
    for square in range(board.columns * board.rows):
        rank, file = divmod(square, board.columns)
        in_play = square in playable
        squares.append(
            {
                "name": board.name(square),
                "number": str(board.number(square)) if in_play else None,
                "column": file,
                "row": rank,
                "dark": _is_dark(board, file, rank),
                "playable": in_play,
            }
        )
    return squares


@lru_cache(maxsize=2)
def _usual_layout(variant: Variant) -> TableLayout:
    return layout_for(variant)


@lru_cache(maxsize=2)
def _slots(layout: TableLayout) -> dict[str, list[list[float]]]:
    """Return the places of the racks' slots, mm of the board frame, slot 1 first."""
    return {
        rack.value: [
            [round(slot.x_mm, 1), round(slot.y_mm, 1)]
            for slot in (layout.rack_slot(rack, number) for number in range(1, layout.slots + 1))
        ]
        for rack in Rack
    }


@lru_cache(maxsize=2)
def _game(variant: Variant) -> dict[str, Any]:
    board = variant.board
    return {
        "key": variant.key,
        "name": variant.names["en"],
        "names": dict(variant.names),
        "columns": board.columns,
        "rows": board.rows,
        "lines": board.lines,
        "numeric": board.numeric,
        "squares": board_json(board),
        "men": {"white": "w", "black": "b"},
        "kings": Kind.KING in variant.movers,
        "pieces": pieces_json(variant),
    }


def _is_dark(board: Board, file: int, rank: int) -> bool:
    """Play goes on the dark squares; a board that is played on everywhere is chequered with a dark a1, as the wooden one."""
    first = board.playable[0]
    parity = sum(divmod(first, board.columns)) % 2 if len(board.playable) < board.columns * board.rows else 0
    return (file + rank) % 2 == parity


def _ruling(state: PageState) -> dict[str, Any] | None:
    ruling = state.ruling
    if ruling is None:
        return None
    return {
        "title": ruling.title,
        "text": ruling.text,
        "texts": dict(ruling.texts),
        "article": ruling.article,
        "squares": list(ruling.squares),
        "better": [{"text": better.text, "squares": list(better.squares)} for better in ruling.better],
    }


def _clocks(clocks: ClocksShown, now_s: float | None) -> dict[str, Any]:
    passed = 0.0 if now_s is None or clocks.running is None else max(0.0, now_s - clocks.time_s)
    if clocks.running == "white":
        clocks = replace(clocks, white_s=clocks.white_s - passed)
    elif clocks.running == "black":
        clocks = replace(clocks, black_s=clocks.black_s - passed)
    return {
        "white_s": round(max(0.0, clocks.white_s), 1),
        "black_s": round(max(0.0, clocks.black_s), 1),
        "running": clocks.running,
    }
