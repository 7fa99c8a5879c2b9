"""The page on a table that says what it is told to: every situation, every width, both schemes, keyboard and pointer."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Page, expect

from damludo.play.page.catalogue import games_json

SITUATIONS = (
    "play",
    "illegal",
    "stopped",
    "asked",
    "over",
    "numbers",
    "crossings",
    "great",
    "full",
    "parachutists",
)
WIDTHS = (360, 768, 1440)
LARGEST_BYTES = 100_000
SCHEMES: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")

OpenPage = Callable[..., Page]
Show = Mapping[str, Callable[[Any], None]]


# --- what everybody must be able to read --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", SITUATIONS)
def test_no_situation_breaks_a_rule_of_accessibility(
    name: str, fake: Any, open_page: OpenPage, situations: Show, axe: str
) -> None:
    situations[name](fake)

    assert violations(open_page(width=WIDTHS[SITUATIONS.index(name) % len(WIDTHS)]), axe) == []


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dialog", ["", "#new-game", "#resign", "#set-position"])
def test_no_width_and_no_dialog_breaks_a_rule_of_accessibility(
    dialog: str, width: int, fake: Any, open_page: OpenPage, situations: Show, axe: str
) -> None:
    situations["illegal"](fake)
    page = open_page(width=width, reduced_motion="reduce")
    page.locator("summary").evaluate_all("all => all.forEach(e => e.parentElement.open = true)")
    if dialog:
        page.click(dialog)
        expect(page.locator("#sheet")).to_be_visible()

    assert violations(page, axe) == []


def violations(page: Page, axe: str) -> list[str]:
    """Return what axe-core finds in light and in dark, each with the place."""
    page.evaluate(axe)
    found = []
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        rules = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        found += [f"{scheme}: {rule['id']}: {node['html'][:120]}" for rule in rules for node in rule["nodes"]]
    return found


@pytest.mark.parametrize("name", SITUATIONS)
def test_nothing_is_lost_on_a_narrow_screen(name: str, fake: Any, open_page: OpenPage, situations: Show) -> None:
    situations[name](fake)
    wide, narrow = open_page(width=1440), open_page(width=360, height=740)

    assert lines(narrow) == lines(wide)
    assert narrow.evaluate("document.documentElement.scrollWidth") == 360
    assert controls(narrow) == controls(wide)


def lines(page: Page) -> set[str]:
    """Return everything that is written on the page, word by word: lines break elsewhere on a narrow one. Clocks run on."""
    return {word for word in str(page.inner_text("body")).split() if not re.fullmatch(r"\d+:\d\d", word)}


def controls(page: Page) -> list[str]:
    """Return the names of all controls that can be reached."""
    names = page.locator("button:visible, select:visible, input:visible, summary:visible")
    return [str(name) for name in names.evaluate_all("all => all.map(e => e.ariaLabel ?? e.textContent)")]


@pytest.mark.parametrize("width", WIDTHS)
def test_stop_can_always_be_seen_whole(width: int, fake: Any, open_page: OpenPage, situations: Show) -> None:
    situations["illegal"](fake)
    page = open_page(width=width, height=640)

    for act in ("window.scrollTo(0, 0)", "window.scrollTo(0, 99999)", "document.querySelector('#new-game').click()"):
        page.evaluate(act)
        page.wait_for_timeout(100)
        box = page.locator("#stop").bounding_box()
        assert box is not None
        left, top, right, bottom = box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]
        assert (max(0, left), max(0, top), min(width, right), min(640, bottom)) == (left, top, right, bottom)
        middle = [(left + right) / 2, (top + bottom) / 2]
        assert page.evaluate("([x, y]) => document.elementFromPoint(x, y).closest('button').id", middle) == "stop"


def test_all_text_comes_from_the_catalogue(fake: Any, open_page: OpenPage, make_state: Callable[..., Any]) -> None:
    """With a catalogue that brackets every sentence, no English word of the page's own is left without brackets."""
    fake.texts["eo"] = Bracketed()
    marks = {"last": ["c3"], "due": ["d4"], "wrong": ["e5"]}
    fake.show(make_state(language="eo", marks=marks, say={"text": "", "tone": "do", "choices": []}, lights={}))
    page = open_page()
    expect(page.locator("#take-back")).to_have_text("[Take back]")
    page.locator("summary").evaluate_all("all => all.forEach(e => e.parentElement.open = true)")
    page.click("#new-game")
    expect(page.locator("body")).to_contain_text("Alkerko")

    words = str(page.inner_text("body")) + " ".join(controls(page))
    left = re.sub(r"\[[^\[\]]*(\[[^\[\]]*\][^\[\]]*)*\]", "", words)
    games = (word for game in games_json() for word in re.findall(r"\w+", game["names"]["eo"]))
    from_the_table = {"Offer", "draw", *games}
    languages_by_their_own_names = {"English", "Esperanto", "Slovenščina"}
    assert set(re.findall(r"[^\W\d_]{3,}", left)) <= from_the_table | languages_by_their_own_names


class Bracketed(dict[str, str]):
    """A catalogue of every sentence in the page's sources."""

    def __init__(self) -> None:
        super().__init__()
        static = Path(__file__).resolve().parents[4] / "play" / "page" / "static"
        for file in static.glob("*.js"):
            for sentence in re.findall(r'"((?:[^"\\\n]|\\.)*)"', file.read_text(encoding="utf-8")):
                self[sentence] = f"[{sentence}]"
        for game in games_json():
            self.update((sentence, f"[{sentence}]") for sentence in game["lines"])
        html = (static / "index.html").read_text(encoding="utf-8")
        for sentence in re.findall(r'data-t>([^<]*)<|data-t-label aria-label="([^"]*)"', html):
            self["".join(sentence)] = f"[{''.join(sentence)}]"


# --- what is served -----------------------------------------------------------------------------------------------------------


def test_the_page_is_small(fake: Any, open_page: OpenPage, situations: Show) -> None:
    situations["play"](fake)
    open_page()

    fetched = [(path, size) for path, size in fake.served if not path.startswith("/camera")]
    assert {path for path, _ in fetched} >= {"/", "/static/app.js", "/static/style.css", "/static/board.js"}
    assert sum(size for _, size in fetched) <= LARGEST_BYTES


def test_no_served_file_names_an_outside_host(root: Path) -> None:
    found = []
    for file in sorted((root / "play" / "page" / "static").iterdir()):
        text = file.read_text(encoding="utf-8")
        found += [f"{file.name}: {name}" for name in re.findall(r"(?:https?:|wss?:)?//[\w.-]+\.\w+", text)]

    # The name of a format, which nobody fetches.
    assert {name.partition(": ")[2] for name in found} == {"http://www.w3.org"}


def test_the_page_asks_nobody_else(fake: Any, open_page: OpenPage, situations: Show) -> None:
    situations["play"](fake)
    page = open_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    page.click("#new-game")
    expect(page.locator("#sheet .card")).to_have_count(21)

    assert len(asked) > 10
    assert [url for url in asked if not url.startswith(fake.url)] == []


# --- the board ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "squares", "first", "label"),
    [
        ("play", 32, "b8", "d8, white king"),
        ("numbers", 32, "g1", "b6, black man, shown move"),
        ("crossings", 25, "a5", "c3, empty"),
        ("great", 72, "k1", "l2, white man"),
        ("full", 64, "a8", "e4, black man"),
        ("parachutists", 32, "b8", "b8, white parachutist"),
    ],
)
def test_every_board_has_its_squares_as_the_player_sees_them(
    name: str, squares: int, first: str, label: str, fake: Any, open_page: OpenPage, situations: Show
) -> None:
    situations[name](fake)
    page = open_page()

    buttons = page.locator("[data-square]")
    assert buttons.count() == squares
    assert buttons.first.get_attribute("data-square") == first
    square = label[:2]
    assert page.locator(f"[data-square={square}]").get_attribute("aria-label") == label


def test_a_square_tells_every_mark_in_words(fake: Any, open_page: OpenPage, situations: Show) -> None:
    situations["illegal"](fake)
    page = open_page()

    labels = {
        square: page.locator(f"[data-square={square}]").get_attribute("aria-label") for square in ("c5", "e3", "f4")
    }
    assert labels == {
        "c5": "c5, black man, last move",
        "e3": "e3, white man, on the table: empty, something to do here",
        "f4": "f4, empty, on the table: white man, not as it should be",
    }


def test_what_is_on_a_square_can_be_asked(fake: Any, open_page: OpenPage, situations: Show) -> None:
    situations["numbers"](fake)
    page = open_page()
    page.locator("#as-text summary").click()

    for asked, told in (
        ("C3", "c3, white man"),
        ("11", "f6, black man"),
        ("z9", "There is no square “z9” on this board."),
    ):
        page.fill("#what-is-square", asked)
        page.keyboard.press("Enter")
        expect(page.locator("#what-is-answer")).to_have_text(told)


def test_a_better_move_is_shown_on_the_board(fake: Any, open_page: OpenPage, situations: Show) -> None:
    situations["illegal"](fake)
    page = open_page()
    assert page.locator(".arrow:not(.key)").count() == 0

    page.hover(".better")

    expect(page.locator("path.arrow:not(.casing)")).to_have_count(1)


# --- the connection -----------------------------------------------------------------------------------------------------------


def test_a_reload_shows_the_same(fake: Any, open_page: OpenPage, situations: Show) -> None:
    situations["illegal"](fake)
    page = open_page()
    before = (lines(page), controls(page))

    page.reload()
    page.locator("[role=grid]").wait_for()

    assert (lines(page), controls(page)) == before


def test_a_lost_connection_is_told_and_comes_back(fake: Any, open_page: OpenPage, situations: Show) -> None:
    situations["play"](fake)
    page = open_page()

    fake.drop()
    expect(page.locator("#sentence")).to_contain_text("Connection lost. The game goes on at the table")
    page.keyboard.press("Space")
    expect(page.locator("#toast")).to_contain_text("Use the switch at the machine")
    fake.restore("second")
    expect(page.locator("#sentence")).to_have_text("Your move, white.", timeout=15_000)

    # What was pressed while nobody listened is not done afterwards.
    assert fake.named("stop") == []
    page.click("#hint")
    page.wait_for_timeout(100)
    assert fake.named("hint")[0]["epoch"] == "second"


def test_the_log_keeps_every_event_once(fake: Any, open_page: OpenPage, make_state: Callable[..., Any]) -> None:
    for n in range(3):
        fake.show(make_state(), text=f"event {n}")
    page = open_page()
    fake.show(make_state(), text="event 3")
    page.locator("summary:has-text('What happened')").click()
    expect(page.locator("#log li")).to_have_count(4)

    told = [str(text).split(" ", 1)[1].strip() for text in page.locator("#log li").all_inner_texts()]
    assert told == ["event 3", "event 2", "event 1", "event 0"]


def test_the_sentence_is_a_live_region(fake: Any, open_page: OpenPage, make_state: Callable[..., Any]) -> None:
    page = open_page()
    alarm = {"text": "The camera is gone.", "tone": "alarm", "choices": []}

    assert page.locator("#sentence").get_attribute("aria-live") == "polite"
    fake.show(make_state(say=alarm))
    expect(page.locator("#sentence")).to_have_text("The camera is gone.")
    assert page.locator("#sentence").get_attribute("aria-live") == "assertive"


def test_nothing_moves_where_motion_is_unwanted(fake: Any, open_page: OpenPage, situations: Show) -> None:
    situations["illegal"](fake)
    page = open_page(reduced_motion="reduce")

    assert page.evaluate("document.getAnimations().length") == 0
    assert page.locator(".disc").first.evaluate("e => getComputedStyle(e).transitionDuration") == "0s"


def test_what_a_stranger_wrote_is_shown_as_text(fake: Any, open_page: OpenPage, make_state: Callable[..., Any]) -> None:
    nasty = "<img src=x onerror=alert(1)>"
    fake.show(make_state(say={"text": nasty, "tone": "ask", "choices": [{"id": "a", "text": nasty}]}), text=nasty)
    page = open_page()

    expect(page.locator("#sentence")).to_have_text(nasty)
    assert page.locator("#say img, #log img").count() == 0


def test_the_clock_of_the_side_to_move_runs(fake: Any, open_page: OpenPage, make_state: Callable[..., Any]) -> None:
    fake.show(make_state(speed=5, clocks={"white_s": 61.0, "black_s": 30.0, "running": "white"}))
    page = open_page()
    clocks = page.locator("#clocks dd")

    page.wait_for_function("() => parseInt(document.querySelectorAll('#clocks dd')[1].textContent.slice(2)) <= 50")
    assert clocks.nth(0).inner_text() == "0:30"
    assert "running" in page.locator("#clocks dt").nth(1).inner_text()
