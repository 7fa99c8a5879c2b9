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


def centre(page: Page, square: str) -> tuple[float, float]:
    """Return the middle of a square (or a rack, "rack white") on the screen."""
    rack = square.startswith("rack ")
    box = page.locator(f"[data-rack={square[5:]}]" if rack else f"[data-square={square}]").bounding_box()
    assert box is not None
    return box["x"] + box["width"] / (8 if rack else 2), box["y"] + box["height"] / 2


def drag(page: Page, source: str, target: str) -> None:
    """Drag with the pointer from one square to another."""
    page.mouse.move(*centre(page, source))
    page.mouse.down()
    page.mouse.move(*centre(page, target), steps=4)
    page.mouse.up()


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
@pytest.mark.parametrize("dialog", ["", "#new-game", "#resign"])
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
    fake.texts["xx"] = Bracketed()
    marks = {"last": ["c3"], "due": ["d4"], "wrong": ["e5"]}
    fake.show(make_state(language="xx", marks=marks, say={"text": "", "tone": "do", "choices": []}, lights={}))
    page = open_page()
    expect(page.locator("#take-back")).to_have_text("[Take back]")
    page.locator("summary").evaluate_all("all => all.forEach(e => e.parentElement.open = true)")
    page.click("#new-game")

    words = str(page.inner_text("body")) + " ".join(controls(page))
    left = re.sub(r"\[[^\[\]]*(\[[^\[\]]*\][^\[\]]*)*\]", "", words)
    from_the_table = {"Offer", "draw", *(word for game in games_json() for word in re.findall(r"\w+", game["name"]))}
    assert set(re.findall(r"[A-Za-z]{3,}", left)) <= from_the_table


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


# --- the hand in simulation ---------------------------------------------------------------------------------------------------


def gestures(fake: Any) -> list[tuple[str, list[float]]]:
    """Return press and release as they came, with their places, mm of the board rounded to whole ones."""
    hands = [command for command in fake.named("hand") if command["action"] != "move"]
    return [(hand["action"], [round(v) for v in hand["at"]["board"]]) for hand in hands]


def test_a_dragged_disc_leads_the_hand(fake: Any, open_page: OpenPage, situations: Show) -> None:
    situations["numbers"](fake)
    page = open_page()

    drag(page, "b6", "c5")
    page.wait_for_timeout(200)

    # Black sits at rank 8 and sees the board turned round.
    assert gestures(fake) == [("press", [75, 275]), ("release", [125, 225])]
    assert [hand["at"]["board"] for hand in fake.named("hand") if hand["action"] == "move"]


def test_a_disc_can_be_clicked_to_its_place(fake: Any, open_page: OpenPage, situations: Show) -> None:
    situations["play"](fake)
    page = open_page()

    page.mouse.click(*centre(page, "h4"))
    expect(page.locator("#toast")).to_contain_text("You hold the disc from h4")
    page.mouse.click(*centre(page, "g5"))
    page.wait_for_timeout(200)

    assert gestures(fake) == [("press", [375, 175]), ("release", [325, 225])]


def test_a_finger_drags_a_disc_and_scrolls_where_there_is_none(
    fake: Any, open_page: OpenPage, situations: Show
) -> None:
    situations["play"](fake)
    page = open_page(width=360, height=740, has_touch=True, is_mobile=True)
    finger = page.context.new_cdp_session(page)

    def swipe(source: str, target: str) -> None:
        (x, y), (to_x, to_y) = centre(page, source), centre(page, target)
        way = [(x + (to_x - x) * part / 8, y + (to_y - y) * part / 8) for part in range(9)]
        for kind, points in (("touchStart", way[:1]), *(("touchMove", [point]) for point in way[1:]), ("touchEnd", [])):
            touches = [{"x": at[0], "y": at[1]} for at in points]
            finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})
        page.wait_for_timeout(300)

    swipe("a3", "b4")
    assert gestures(fake) == [("press", [25, 125]), ("release", [75, 175])]
    assert page.evaluate("scrollY") == 0
    swipe("f4", "f6")
    assert len(gestures(fake)) == 2
    assert page.evaluate("scrollY") != 0


def test_discs_go_to_the_racks_and_crowns_come_from_them(fake: Any, open_page: OpenPage, situations: Show) -> None:
    situations["play"](fake)
    page = open_page()

    drag(page, "d6", "rack black")
    drag(page, "rack white", "a3")
    page.wait_for_timeout(200)

    first, second, third, fourth = (at for _, at in gestures(fake))
    assert first == [175, 275]
    assert second[0] > 400
    assert third[0] < 0
    assert fourth == [25, 125]


def test_a_disc_is_dragged_in_the_picture_too(fake: Any, open_page: OpenPage, situations: Show) -> None:
    situations["play"](fake)
    page = open_page()
    box = page.locator("#camera-view").bounding_box()
    assert box is not None

    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 4, box["y"] + box["height"] / 4, steps=3)
    page.mouse.up()
    page.wait_for_timeout(200)

    hands = [hand for hand in fake.named("hand") if hand["action"] != "move"]
    assert [(hand["action"], [round(v) for v in hand["at"]["picture"]]) for hand in hands] == [
        ("press", [320, 240]),
        ("release", [160, 120]),
    ]


def test_moves_of_the_hand_are_sent_twenty_times_a_second_at_most(
    fake: Any, open_page: OpenPage, situations: Show
) -> None:
    situations["play"](fake)
    page = open_page()
    page.mouse.move(*centre(page, "h4"))
    page.mouse.down()
    began = page.evaluate("performance.now()")
    for _ in range(4):
        page.mouse.move(*centre(page, "g5"), steps=30)
        page.mouse.move(*centre(page, "f4"), steps=30)
    lasted_s = (page.evaluate("performance.now()") - began) / 1000
    page.mouse.up()

    moves = [hand for hand in fake.named("hand") if hand["action"] == "move"]
    assert 2 <= len(moves) <= 20 * lasted_s + 2


def test_at_a_real_table_the_page_moves_nothing(fake: Any, open_page: OpenPage, make_state: Callable[..., Any]) -> None:
    fake.show(make_state(simulation=False))
    page = open_page()

    drag(page, "c3", "d4")
    page.locator("[data-square=c3]").focus()
    page.keyboard.press("Enter")

    expect(page.locator("#toast")).to_have_text("c3, white man")
    assert fake.named("hand") == []
    expect(page.locator("#simulation")).to_be_hidden()


# --- the keyboard -------------------------------------------------------------------------------------------------------------


def test_a_move_is_made_with_the_keyboard_alone(fake: Any, open_page: OpenPage, situations: Show) -> None:
    situations["play"](fake)
    page = open_page()
    page.locator("[data-square=h4]").focus()

    page.keyboard.press("Enter")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.dataset.square") == "g5"
    page.keyboard.press("Enter")
    page.wait_for_timeout(100)

    assert gestures(fake) == [("press", [375, 175]), ("release", [325, 225])]


def test_the_board_is_one_stop_of_the_tab_key(fake: Any, open_page: OpenPage, situations: Show) -> None:
    situations["play"](fake)
    page = open_page()

    stops = []
    for _ in range(24):
        page.keyboard.press("Tab")
        stops.append(
            page.evaluate("(e => e.dataset.square ? 'square' : e.dataset.rack ?? e.id)(document.activeElement)")
        )

    assert stops.count("square") == 1
    assert {"stop", "square", "white", "black", "hint", "take-back", "resign", "new-game", "level"} <= set(stops)


def test_arrow_keys_walk_to_the_racks_and_back(fake: Any, open_page: OpenPage, situations: Show) -> None:
    situations["play"](fake)
    page = open_page()
    page.locator("[data-square=c7]").focus()

    walk = []
    for key in ("ArrowUp", "ArrowUp", "ArrowDown", "ArrowDown", "ArrowRight", "ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
        walk.append(page.evaluate("document.activeElement.dataset.square ?? document.activeElement.dataset.rack"))

    assert walk == ["b8", "black", "b8", "c7", "e7", "c7", "a7"]


def test_escape_puts_the_disc_back(fake: Any, open_page: OpenPage, situations: Show) -> None:
    situations["play"](fake)
    page = open_page()
    page.locator("[data-square=h4]").focus()

    page.keyboard.press("Enter")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Escape")
    page.wait_for_timeout(100)

    assert gestures(fake) == [("press", [375, 175]), ("release", [375, 175])]


@pytest.mark.parametrize("focused", ["body", "#hint", "[data-square=h4]", "#resign"])
def test_the_space_bar_is_stop_and_nothing_else(focused: str, fake: Any, open_page: OpenPage, situations: Show) -> None:
    situations["play"](fake)
    page = open_page()
    if focused != "body":
        page.locator(focused).focus()

    page.keyboard.press("Space")
    page.wait_for_timeout(100)

    assert [command["command"] for command in fake.commands] == ["stop"]
    expect(page.locator("#sheet")).to_be_hidden()


def test_a_space_that_is_typed_stops_nothing(fake: Any, open_page: OpenPage, situations: Show) -> None:
    situations["play"](fake)
    page = open_page()
    page.locator("#as-text summary").focus()
    page.keyboard.press("Space")
    page.locator("#what-is-square").focus()
    page.keyboard.type("c 3")

    assert page.input_value("#what-is-square") == "c 3"
    assert fake.named("stop") == []


def test_stop_works_while_a_dialog_is_open(fake: Any, open_page: OpenPage, situations: Show) -> None:
    situations["play"](fake)
    page = open_page()
    page.click("#new-game")
    expect(page.locator("#sheet")).to_be_visible()

    page.keyboard.press("Space")
    page.click("#stop")
    page.wait_for_timeout(100)

    assert len(fake.named("stop")) == 2


# --- commands -----------------------------------------------------------------------------------------------------------------


def test_a_command_carries_an_id_and_the_epoch(fake: Any, open_page: OpenPage, situations: Show) -> None:
    situations["play"](fake)
    page = open_page()

    page.dblclick("#hint")
    page.click("[data-speed='5']")
    page.select_option("#level", "7")
    page.wait_for_timeout(100)

    assert {command["epoch"] for command in fake.commands} == {"first"}
    assert len({command["id"] for command in fake.commands}) == len(fake.commands)
    assert fake.named("speed")[0]["speed"] == 5
    assert fake.named("level")[0]["level"] == 7


def test_resigning_is_asked_again(fake: Any, open_page: OpenPage, situations: Show) -> None:
    situations["play"](fake)
    page = open_page()

    page.click("#resign")
    page.click("#sheet button:has-text('No, play on')")
    assert fake.named("resign") == []
    page.click("#resign")
    page.click("#sheet button:has-text('Yes, resign')")
    page.wait_for_timeout(100)

    assert len(fake.named("resign")) == 1


def test_a_new_game_is_chosen_among_twenty_one(fake: Any, open_page: OpenPage, situations: Show) -> None:
    situations["play"](fake)
    page = open_page()
    page.click("#new-game")
    expect(page.locator("#sheet .card .picture")).to_have_count(21)
    assert page.locator("#sheet .card .about").evaluate_all("all => all.filter(e => e.children.length < 3).length") == 0

    page.check("input[value=thai]", force=True)
    page.check("input[name=side][value=black]")
    page.select_option("#sheet [name=level]", "10")
    page.select_option("#sheet [name=clock]", "10+5")
    page.click("#sheet button:has-text('Begin: Thai draughts')")
    expect(page.locator("#sheet")).to_be_hidden()

    chosen = {key: fake.named("new_game")[0][key] for key in ("game", "side", "level", "clock")}
    assert chosen == {"game": "thai", "side": "black", "level": 10, "clock": "10+5"}
    assert page.evaluate("document.activeElement.id") == "new-game"


def test_a_refused_game_says_why(fake: Any, open_page: OpenPage, situations: Show) -> None:
    situations["play"](fake)
    fake.answers["new_game"] = {"ok": False, "text": "The match is busy."}
    page = open_page()
    page.click("#new-game")

    page.click("#sheet button[type=submit]")

    expect(page.locator("#sheet .error")).to_have_text("The match is busy.")


def test_a_question_is_answered_by_its_buttons(fake: Any, open_page: OpenPage, situations: Show) -> None:
    situations["asked"](fake)
    page = open_page()

    page.click("#choices button:has-text('Put it right')")
    page.wait_for_timeout(100)

    assert [command["choice"] for command in fake.named("answer")] == ["back"]


def test_go_on_appears_after_stop_and_far_from_it(fake: Any, open_page: OpenPage, situations: Show) -> None:
    situations["stopped"](fake)
    for width in WIDTHS:
        page = open_page(width=width, height=740)
        go, stop = page.locator("#choices button").bounding_box(), page.locator("#stop").bounding_box()
        assert go is not None
        assert stop is not None
        aside = stop["x"] - (go["x"] + go["width"])
        below = stop["y"] - (go["y"] + go["height"])
        assert max(aside, below) >= 90
        assert page.locator("#choices button").count() == 1


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
