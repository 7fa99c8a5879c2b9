"""What a person does on the page: the simulated hand by pointer and finger, the keyboard, buttons and dialogs."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from playwright.sync_api import Page, expect

WIDTHS = (360, 768, 1440)

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


# --- the hand in simulation ---------------------------------------------------------------------------------------------------


def gestures(fake: Any) -> list[tuple[str, list[float]]]:
    """Return press and release as they came, with their places, mm of the board rounded to whole ones."""
    hands = [command for command in fake.named("hand") if command["action"] != "move"]
    return [(hand["action"], [round(v) for v in hand["at"]["board"]]) for hand in hands]


@pytest.fixture
def page(fake: Any, open_page: OpenPage, situations: Show) -> Page:
    """The page in the person's turn, as wide as on a screen."""
    situations["play"](fake)
    return open_page()


def test_a_dragged_disc_leads_the_hand(fake: Any, open_page: OpenPage, situations: Show) -> None:
    situations["numbers"](fake)
    page = open_page()

    drag(page, "b6", "c5")
    page.wait_for_timeout(200)

    # Black sits at rank 8 and sees the board turned round.
    assert gestures(fake) == [("press", [75, 275]), ("release", [125, 225])]
    assert [hand["at"]["board"] for hand in fake.named("hand") if hand["action"] == "move"]


def test_a_disc_can_be_clicked_to_its_place(fake: Any, page: Page) -> None:
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


def test_discs_go_to_the_racks_and_crowns_come_from_them(fake: Any, page: Page) -> None:
    drag(page, "d6", "rack black")
    drag(page, "rack white", "a3")
    page.wait_for_timeout(200)

    first, second, third, fourth = (at for _, at in gestures(fake))
    assert first == [175, 275]
    assert second[0] > 400
    assert third[0] < 0
    assert fourth == [25, 125]


def test_a_disc_is_dragged_in_the_picture_too(fake: Any, page: Page) -> None:
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


def test_moves_of_the_hand_are_sent_twenty_times_a_second_at_most(fake: Any, page: Page) -> None:
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


def test_a_move_is_made_with_the_keyboard_alone(fake: Any, page: Page) -> None:
    page.locator("[data-square=h4]").focus()

    page.keyboard.press("Enter")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.dataset.square") == "g5"
    page.keyboard.press("Enter")
    page.wait_for_timeout(100)

    assert gestures(fake) == [("press", [375, 175]), ("release", [325, 225])]


def test_the_board_is_one_stop_of_the_tab_key(page: Page) -> None:
    stops = []
    for _ in range(24):
        page.keyboard.press("Tab")
        stops.append(
            page.evaluate("(e => e.dataset.square ? 'square' : e.dataset.rack ?? e.id)(document.activeElement)")
        )

    assert stops.count("square") == 1
    assert {"stop", "square", "white", "black", "hint", "take-back", "resign", "new-game", "level"} <= set(stops)


def test_arrow_keys_walk_to_the_racks_and_back(page: Page) -> None:
    page.locator("[data-square=c7]").focus()

    walk = []
    for key in ("ArrowUp", "ArrowUp", "ArrowDown", "ArrowDown", "ArrowRight", "ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
        walk.append(page.evaluate("document.activeElement.dataset.square ?? document.activeElement.dataset.rack"))

    assert walk == ["b8", "black", "b8", "c7", "e7", "c7", "a7"]


def test_escape_puts_the_disc_back(fake: Any, page: Page) -> None:
    page.locator("[data-square=h4]").focus()

    page.keyboard.press("Enter")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Escape")
    page.wait_for_timeout(100)

    assert gestures(fake) == [("press", [375, 175]), ("release", [375, 175])]


@pytest.mark.parametrize("focused", ["body", "#hint", "[data-square=h4]", "#resign"])
def test_the_space_bar_is_stop_and_nothing_else(focused: str, fake: Any, page: Page) -> None:
    if focused != "body":
        page.locator(focused).focus()

    page.keyboard.press("Space")
    page.wait_for_timeout(100)

    assert [command["command"] for command in fake.commands] == ["stop"]
    expect(page.locator("#sheet")).to_be_hidden()


def test_a_space_that_is_typed_stops_nothing(fake: Any, page: Page) -> None:
    page.locator("#as-text summary").focus()
    page.keyboard.press("Space")
    page.locator("#what-is-square").focus()
    page.keyboard.type("c 3")

    assert page.input_value("#what-is-square") == "c 3"
    assert fake.named("stop") == []


def test_stop_works_while_a_dialog_is_open(fake: Any, page: Page) -> None:
    page.click("#new-game")
    expect(page.locator("#sheet")).to_be_visible()

    page.keyboard.press("Space")
    page.click("#stop")
    page.wait_for_timeout(100)

    assert len(fake.named("stop")) == 2


# --- commands -----------------------------------------------------------------------------------------------------------------


def test_a_command_carries_an_id_and_the_epoch(fake: Any, page: Page) -> None:
    page.dblclick("#hint")
    page.click("[data-speed='5']")
    page.select_option("#level", "7")
    page.wait_for_timeout(100)

    assert {command["epoch"] for command in fake.commands} == {"first"}
    assert len({command["id"] for command in fake.commands}) == len(fake.commands)
    assert fake.named("speed")[0]["speed"] == 5
    assert fake.named("level")[0]["level"] == 7


def test_resigning_is_asked_again(fake: Any, page: Page) -> None:
    page.click("#resign")
    page.click("#sheet button:has-text('No, play on')")
    assert fake.named("resign") == []
    page.click("#resign")
    page.click("#sheet button:has-text('Yes, resign')")
    page.wait_for_timeout(100)

    assert len(fake.named("resign")) == 1


def test_a_new_game_is_chosen_among_twenty_one(fake: Any, page: Page) -> None:
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
    assert page.evaluate("document.activeElement.id") == "board"


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


@pytest.mark.parametrize("width", [360, 800, 1024, 1440])
@pytest.mark.parametrize("dialog", ["#new-game", "#set-position", "#resign"])
def test_no_dialog_covers_stop(dialog: str, width: int, fake: Any, open_page: OpenPage, situations: Show) -> None:
    situations["illegal"](fake)
    page = open_page(width=width, height=760)
    page.click(dialog)
    for scrolled in (0, 400, 0):
        page.evaluate("y => scrollTo(0, y)", scrolled)
        page.wait_for_timeout(60)
        corners = """() => {
            const { left, right, top, bottom } = document.getElementById("stop").getBoundingClientRect();
            return [[left + 9, top + 9], [right - 9, top + 9], [left + 9, bottom - 9], [right - 9, bottom - 9]]
                .map(([x, y]) => document.elementFromPoint(x, y)?.closest("#stop") !== null);
        }"""
        assert page.evaluate(corners) == [True] * 4
