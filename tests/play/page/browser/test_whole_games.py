"""Whole games on the simulated table, played in the page by dragging discs: the test sees only what a person at the page sees."""

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from damludo.engine.levels import player_of_level
from damludo.rules.game import Game
from damludo.rules.moves import Move
from damludo.rules.notation import move_text
from damludo.rules.position import PIECES, Colour, Piece
from damludo.rules.variants import variant

pytestmark = [pytest.mark.slow, pytest.mark.simulation]

LEVELS = {"damludo": 9, "english": 9}
"""Of the engine that chooses for the person at the page: with these the games are short. The machine plays at level 1."""
READY_MS = 180_000
SEEN_MS = 180_000
CARRIED_MS = 300_000
MOST_TURNS = 120
MOST_QUESTIONS = 20
HASTE_MS = 3000
TURN_OR_ASKED = """() => ['ask', 'over'].includes(document.body.dataset.tone)
    || document.body.dataset.tone === 'do' && /^Your turn/.test(document.querySelector('#turn').textContent)"""
LISTED_OR_ASKED = """plies => document.querySelectorAll('#moves td b').length >= plies
    || document.body.dataset.tone === 'ask'"""
CARRIES_OR_CARRIED = """plies => document.querySelectorAll('#moves td b').length >= plies
    || /keep your hands off/.test(document.querySelector('#sentence').textContent)"""
STOP_AFTER, BACK_AFTER, RELOAD_AFTER = 4, 8, 12
"""Plies after which STOP is pressed, a move is taken back, the page is loaded again."""
WORDS = {
    Piece.EMPTY: "empty",
    Piece.WHITE_MAN: "white man",
    Piece.WHITE_KING: "white king",
    Piece.BLACK_MAN: "black man",
    Piece.BLACK_KING: "black king",
}


@dataclass
class Player:
    """A person at the page: knows the rules, chooses like an engine, drags discs and reads what is written.

    Attributes:
        game: as it should be by what the page tells.
        done: what has happened in this game.
    """

    page: Page
    game: Game
    side: Colour
    done: set[str] = field(default_factory=set)

    # --- reading --------------------------------------------------------------------------------------------------------------

    def wait_for_turn(self) -> bool:
        """Wait until it is the person's turn and return True; False when the game is over. Help the machine when it asks."""
        page = self.page
        for _ in range(MOST_QUESTIONS):
            page.wait_for_function(TURN_OR_ASKED, timeout=CARRIED_MS)
            tone, question = page.evaluate("document.body.dataset.tone"), page.inner_text("#sentence")
            if tone in ("do", "over"):
                return bool(tone == "do")
            if tone != "ask":
                continue  # the question was gone before it was read
            page.wait_for_timeout(HASTE_MS)
            if page.inner_text("#sentence") == question:
                self.help(question)
        raise AssertionError(page.inner_text("#sentence"))

    def help(self, question: str) -> None:
        """Say that no hand is there, or bring what a square needs and take off what it must not hold."""
        if self.page.locator("#choices button").count():
            self.page.locator("#choices button").first.click()
        for square, colour in re.findall(r"\b([a-h][1-8]) needs a (white|black)", question):
            self.drag(f"rack {colour}", square)
        for square in re.findall(r"\b([a-h][1-8]) must be empty", question):
            self.drag(square, "rack white")

    def moves(self) -> list[str]:
        """Return the moves of the list, oldest first."""
        return [str(text) for text in self.page.locator("#moves td b").all_inner_texts()]

    def follow(self) -> None:
        """Make the moves of the page's list that are not made yet, and compare the boards."""
        for text in self.moves()[len(self.game.moves) :]:
            (move,) = {
                m.identity: m for m in self.game.legal_moves() if move_text(self.game.variant, m) == text
            }.values()
            self.game = self.game.make(move)
        board = self.game.variant.board
        labels = self.page.locator("[data-square]").evaluate_all("all => all.map(e => [e.dataset.square, e.ariaLabel])")
        shown = {name: label.split(", ")[1] for name, label in labels}
        assert shown == {board.name(s): WORDS[PIECES[self.game.position.cells[s]]] for s in board.playable}

    # --- dragging -------------------------------------------------------------------------------------------------------------

    def centre(self, place: str) -> tuple[float, float]:
        """Return the middle of a square, or the beginning of a rack, on the screen."""
        rack = place.startswith("rack ")
        box = self.page.locator(f"[data-rack={place[5:]}]" if rack else f"[data-square={place}]").bounding_box()
        assert box is not None
        return box["x"] + box["width"] / (8 if rack else 2), box["y"] + box["height"] / 2

    def drag(self, source: str, target: str) -> None:
        """Drag what lies on a square, or the last disc of a rack, to another."""
        self.page.mouse.move(*self.centre(source))
        self.page.mouse.down()
        self.page.mouse.move(*self.centre(target), steps=5)
        self.page.mouse.up()

    def make(self, move: Move) -> None:
        """Do with the discs all that a move needs."""
        name = self.game.variant.board.name
        self.drag(name(move.origin), name(move.target))
        for square in move.captures:
            self.drag(name(square), f"rack {self.side.other.word}")
        if move.becomes is not None:
            self.drag(f"rack {self.side.word}", name(move.target))
            self.done.add("crowning")
        if move.captures:
            self.done.add("capture")
        plies = len(self.game.moves)
        self.wait_until_listed(plies + 1, move)

    def wait_until_listed(self, plies: int, move: Move) -> None:
        """Wait until the list holds so many moves; do what is asked for meanwhile."""
        for _ in range(MOST_QUESTIONS):
            self.page.wait_for_function(LISTED_OR_ASKED, arg=plies, timeout=SEEN_MS)
            if len(self.moves()) >= plies:
                return
            question = self.page.inner_text("#sentence")
            # Between two drags the hand may leave, and what is still to come is asked for.
            self.page.wait_for_timeout(HASTE_MS)
            if len(self.moves()) < plies and self.page.inner_text("#sentence") == question:
                self.obey(question, move)
        raise AssertionError(self.page.inner_text("#sentence"))

    def obey(self, question: str, move: Move) -> None:
        """Do what a question asks for: straighten a disc, take one off, put on a crown."""
        name = self.game.variant.board.name
        squares = re.findall(r"\b[a-h][1-8]\b", question)
        for square in squares[:1]:
            if "straighten" in question:
                self.drag(square, square)
            elif square in [name(taken) for taken in move.captures]:
                self.drag(square, f"rack {self.side.other.word}")
            elif move.becomes is not None:
                self.drag(f"rack {self.side.word}", name(move.target))

    # --- what a person may do wrong, and the buttons --------------------------------------------------------------------------

    def err(self, best: Move) -> None:
        """Make a mistake of a kind that was not made yet, if the position has room for it: one in a turn."""
        for mistake, make in (("illegal move", self.illegal_move), ("missed capture", self.missed_capture)):
            if mistake not in self.done and self.game.moves and make(best):
                self.done.add(mistake)
                return

    def crowning(self) -> Move | None:
        """Return a move that makes a king, while none was made."""
        crowning = (move for move in self.game.legal_moves() if move.becomes is not None)
        return None if "crowning" in self.done else next(crowning, None)

    def between_moves(self) -> None:
        """Take back, or load the page again, when it is time for that."""
        if "taking back" not in self.done and len(self.game.moves) >= BACK_AFTER:
            self.take_back()
            self.done.add("taking back")
        elif "reload" not in self.done and len(self.game.moves) >= RELOAD_AFTER:
            self.reload()
            self.done.add("reload")

    def missed_capture(self, best: Move) -> bool:
        """Make a quiet move with a man that has to capture, read why not, put it back. False if there is none."""
        target = self.free_beside(best.origin)
        if not best.captures or target is None:
            return False
        assert self.wrong_move(best.origin, target, "captur") >= 1
        return True

    def illegal_move(self, best: Move) -> bool:
        """Move a man much too far, read why not, put it back. False if there is a duty to capture: that would be told."""
        free = [s for s in self.game.variant.board.playable if not self.game.position.cells[s]]
        far = [s for s in free if abs(s // 8 - best.origin // 8) > 1 or s // 8 == best.origin // 8]
        if best.captures or not far:
            return False
        self.wrong_move(best.origin, far[0], "")
        return True

    def free_beside(self, square: int) -> int | None:
        """Return an empty neighbour in front of a man of the person."""
        if self.game.position.at(square).kind is None:
            return None
        ahead = 8 if self.side is Colour.WHITE else -8
        near = [square + ahead - 1, square + ahead + 1]
        playable = self.game.variant.board.playable
        return next(
            (s for s in near if s in playable and abs(s % 8 - square % 8) == 1 and not self.game.position.cells[s]),
            None,
        )

    def wrong_move(self, source: int, target: int, reason: str) -> int:
        """Make a move that is refused; the page tells the rule and marks squares; put the disc back.

        Returns:
            How many better moves were shown.
        """
        name, page = self.game.variant.board.name, self.page
        plies = len(self.moves())
        self.drag(name(source), name(target))
        expect(page.locator("#ruling")).to_be_visible(timeout=SEEN_MS)
        assert reason in page.inner_text("#ruling p").lower()
        assert len(page.inner_text("#ruling blockquote")) > 20
        assert page.locator(".marks .wrong, .marks .due").count() >= 1
        better = page.locator("#ruling .better").count()
        self.drag(name(target), name(source))
        expect(page.locator("body")).to_have_attribute("data-tone", "do", timeout=SEEN_MS)
        assert len(self.moves()) == plies
        return better

    def take_back(self) -> None:
        """Take the last move back: the machine puts its own move and the person's back."""
        before = len(self.moves())
        self.page.click("#take-back")
        self.page.wait_for_function(
            f"() => document.querySelectorAll('#moves td b').length === {before - 2}", timeout=CARRIED_MS
        )
        while len(self.game.moves) > before - 2:
            self.game = self.game.undo()
        assert self.wait_for_turn()
        self.follow()

    def stop_and_go_on(self) -> None:
        """Press the space bar while the machine carries, read that it stands still, and let it go on.

        Where this process is slower than the machine, the moment is over before it is seen; another turn will do.
        """
        page = self.page
        page.wait_for_function(CARRIES_OR_CARRIED, arg=len(self.game.moves) + 2, timeout=SEEN_MS)
        if "keep your hands off" not in page.inner_text("#sentence"):
            return
        page.keyboard.press("Space")
        expect(page.locator("body")).to_have_attribute("data-tone", "alarm", timeout=5000)
        standing = page.locator("#lights .lamp.bad")
        expect(standing).to_contain_text("Gantry")
        page.click("#choices button:has-text('Go on')")
        self.done.add("stop and go on")

    def reload(self) -> None:
        """Load the page again: it shows the same."""
        before = (self.page.inner_text("#sentence"), self.moves())
        self.page.reload()
        self.page.locator("[role=grid]").wait_for()
        assert (self.page.inner_text("#sentence"), self.moves()) == before


@pytest.fixture
def served(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Start `damludo play --sim` and give the address of its page."""
    options = ["--sim", "--game", request.param, "--level", "1", "--seed", "5", "--no-browser", "--web-port", "0"]
    command = [sys.executable, "-m", "damludo.play.cli", "--home", str(tmp_path), "play", *options]
    log = tmp_path / "said.txt"
    with log.open("w", encoding="utf-8") as said:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=said, stderr=subprocess.STDOUT, text=True)
    try:
        yield _address(process, log)
    finally:
        process.terminate()
        process.communicate(timeout=20)


def _address(process: "subprocess.Popen[str]", log: Path) -> str:
    while process.poll() is None:
        found = re.search(r"http://127\.0\.0\.1:\d+/", log.read_text(encoding="utf-8"))
        if found:
            return found[0]
        time.sleep(0.1)
    raise AssertionError(log.read_text(encoding="utf-8"))


@pytest.fixture
def page(browser: Browser, served: str) -> Iterator[Page]:
    """The page of the served table, before the first move, at five times the pace of life."""
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(served)
    page.locator("[role=grid]").wait_for()
    page.wait_for_function("() => document.body.dataset.tone === 'do'", timeout=READY_MS)
    page.click("[data-speed='5']")
    yield page
    context.close()
    assert problems == []


EVERYTHING = {"capture", "crowning", "illegal move", "missed capture", "taking back", "stop and go on", "reload"}


@pytest.mark.parametrize(("served", "key"), [(key, key) for key in LEVELS], indirect=["served"])
def test_a_whole_game_is_played_by_dragging(key: str, page: Page) -> None:
    player = Player(page, Game.new(variant(key)), Colour.WHITE)

    play_to_the_end(player)

    assert player.done == EVERYTHING
    result = player.game.result()
    assert result is not None
    assert result.reason in page.inner_text("#sentence")


def play_to_the_end(player: Player) -> None:
    """Play until there is a result; on the way do everything once that a person may do."""
    engine = player_of_level(LEVELS[player.game.variant.key], seed=1)
    for _ in range(MOST_TURNS):
        if not player.wait_for_turn():
            player.follow()
            return
        player.follow()
        player.between_moves()
        best = player.crowning() or engine.choose(player.game).move
        player.err(best)
        player.make(best)
        if "stop and go on" not in player.done and len(player.game.moves) >= STOP_AFTER:
            player.stop_and_go_on()
    raise AssertionError(f"no result after {MOST_TURNS} turns")
