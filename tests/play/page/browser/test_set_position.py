"""The sheet on which a person says what truly stands on the board."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from playwright.sync_api import Page, expect

OpenPage = Callable[..., Page]
Show = Mapping[str, Callable[[Any], None]]
FEN = "W:Wc3,Kg5:Bf6,h8"


def seen(fake: Any, **otherwise: str) -> dict[str, Any]:
    """Return readings that agree with the position but for some squares."""
    names = [square["name"] for square in fake.state["game"]["squares"] if square["playable"]]
    letters = {name: fake.state["position"].get(name, ".") for name in names} | otherwise
    return {name: {"content": letter, "confidence": 0.9} for name, letter in letters.items()}


@pytest.fixture
def table(fake: Any, make_state: Callable[..., Any]) -> Any:
    """A real table on which the camera sees a man too many and no king."""
    fake.show(make_state("damludo", FEN, simulation=False), {})
    fake.overlay = {"readings": seen(fake, e5="b", g5="w")}
    return fake


def opened(open_page: OpenPage, **how: Any) -> Page:
    page = open_page(**how)
    page.click("#set-position")
    return page


def sent(fake: Any, page: Page) -> list[tuple[str, int]]:
    page.wait_for_timeout(150)
    return [(command["fen"], command["after"]) for command in fake.named("set_position")]


@pytest.mark.parametrize("width", [360, 1280])
def test_squares_are_tapped_and_the_position_is_sent(width: int, table: Any, open_page: OpenPage) -> None:
    page = opened(open_page, width=width, height=800)
    for piece, squares in {"b": ["a5"], "B": ["f6"], "w": ["c3"], ".": ["h8"], "W": ["a1"]}.items():
        page.click(f"#sheet .piece:has([value='{piece}'])")
        for square in squares:
            page.click(f"#sheet [data-square={square}]")
    page.click("#sheet .sides label:has([value=black])")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.click("#sheet [type=submit]")
    expect(page.locator("#sheet")).to_be_hidden()
    ((fen, after),) = sent(table, page)
    side, white, black = fen.split(":")
    assert (side, sorted(white[1:].split(",")), sorted(black[1:].split(",")), after) == (
        "B",
        ["Ka1", "Kg5"],
        ["Kf6", "a5"],
        0,
    )


def test_what_the_camera_sees_otherwise_is_named_and_marked(table: Any, open_page: OpenPage) -> None:
    page = opened(open_page)
    expect(page.locator("#sheet .otherwise li")).to_have_text(["e5 black man", "g5 white man"])
    expect(page.locator("#sheet [data-square=e5]")).to_have_attribute(
        "aria-label", "e5, empty, the camera sees: black man"
    )
    expect(page.locator("#sheet svg .unseen")).to_have_count(2)
    page.click("#sheet .piece:has([value=b])")
    page.click("#sheet [data-square=e5]")
    expect(page.locator("#sheet .otherwise li")).to_have_text(["g5 white man"])
    page.click("#sheet >> text=As the camera sees it")
    expect(page.locator("#sheet .seen")).to_have_text("The camera sees the board so too.")
    page.click("#sheet >> text=As the machine believes")
    expect(page.locator("#sheet .otherwise li")).to_have_count(2)


def test_keys_alone_are_enough(table: Any, open_page: OpenPage) -> None:
    page = open_page()
    page.focus("#set-position")
    page.keyboard.press("Enter")
    expect(page.locator("#sheet-title")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")
    expect(page.locator("#sheet [data-square=h8]")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#sheet [role=status]")).to_have_text("g7, black man, changed, the camera sees: empty")
    page.focus("#sheet [type=submit]")
    page.keyboard.press("Enter")
    expect(page.locator("#sheet")).to_be_hidden()
    expect(page.locator("#board")).to_be_focused()
    assert sent(table, page) == [("W:Wc3,Kg5:Bf6,h8,g7", 0)]
    assert table.named("stop") == []


def test_an_impossible_position_is_told_and_kept_open(table: Any, open_page: OpenPage) -> None:
    refusal = "This cannot be: no white man can stand on d8: there it becomes a white king."
    table.answers["set_position"] = {"ok": False, "text": refusal}
    page = opened(open_page)
    page.click("#sheet [data-square=d8]")
    page.click("#sheet [type=submit]")
    expect(page.locator("#sheet [role=alert]")).to_have_text(refusal)
    expect(page.locator("#sheet")).to_be_visible()
    page.click("#sheet [data-square=d8]")
    expect(page.locator("#sheet [role=alert]")).to_be_empty()


def test_a_game_that_goes_on_meanwhile_is_told(table: Any, open_page: OpenPage, make_state: Callable[..., Any]) -> None:
    page = opened(open_page)
    page.click("#sheet .piece:has([value=b])")
    page.click("#sheet [data-square=a5]")
    table.show(make_state("damludo", "B:Wd4,Kg5:Bf6,h8", simulation=False, turn="machine"), {})
    table.state["can"]["set_position"] = False
    table.wake()
    expect(page.locator("#sheet [role=alert]")).to_have_text("The game went on meanwhile: please look again.")
    expect(page.locator("#sheet [type=submit]")).to_be_disabled()
    expect(page.locator("#sheet [data-square=a5]")).to_have_attribute(
        "aria-label", "a5, black man, changed, the camera sees: empty"
    )


def test_only_pieces_of_the_game_are_offered(fake: Any, open_page: OpenPage, make_state: Callable[..., Any]) -> None:
    fake.show(make_state("alquerque", simulation=False), {})
    page = opened(open_page)
    expect(page.locator("#sheet .piece")).to_have_text(["white man", "black man", "empty"])
    expect(page.locator("#sheet .seen")).to_have_text("The camera has not read the board yet.")


def test_a_position_that_was_set_stands_in_the_list_of_moves(table: Any, open_page: OpenPage) -> None:
    moves = [
        {"ply": n, "side": side, "text": text, "notation": text, "seconds": 1.0, "note": ""}
        for n, (side, text) in enumerate([("white", "c3-d4"), ("white", "g1-f2"), ("black", "h8-g7")], 1)
    ]
    table.state["moves"], table.state["sets"] = moves, [1, 3]
    page = open_page()
    rows = page.locator("#moves tbody tr")
    expect(rows).to_have_count(4)
    expect(rows.nth(1)).to_have_text("The position was set.")
    expect(rows.nth(2)).to_contain_text("g1-f2")
    expect(rows.nth(2)).to_contain_text("h8-g7")
    expect(rows.nth(3)).to_have_text("The position was set.")
