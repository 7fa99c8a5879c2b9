"""The page in its three languages, and the offer to go on with a game that was cut off."""

import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from damludo.play.page.catalogue import texts_json

OpenPage = Callable[..., Page]
Show = Mapping[str, Callable[[Any], None]]
OFFER = {
    "names": {"en": "English draughts", "eo": "Angla damludo", "sl": "Angleška dama"},
    "time": "14:05",
    "plies": 12,
}

SAID = {
    "Your move, white: you must capture. Drag one of your discs, here or in the picture.": (
        "Via vico, blanka: vi devas kapti. Trenu unu el viaj diskoj, ĉi tie aŭ en la bildo.",
        "Na potezi ste vi, beli: jemati morate. Povlecite enega od svojih kamnov, tukaj ali na sliki.",
    ),
    "Set up the board: e1 needs a white man, g1 must be empty.": (
        "Starigu la tabulon: al e1 mankas blanka disketo, g1 estu malplena.",
        "Postavite desko: na e1 manjka beli mož, g1 mora biti prazno.",
    ),
    "I carry out c3xe5xg7: keep your hands off the board.": (
        "Mi faras c3xe5xg7: tenu la manojn for de la tabulo.",
        "Izvajam c3xe5xg7: rok ne držite nad desko.",
    ),
    "STOP: everything stands still. Say 'go' when it may go on.": (
        "STOP: ĉio staras senmove. Diru 'go', kiam ĝi rajtas daŭrigi.",
        "STOP: vse miruje. Recite 'go', ko se sme nadaljevati.",
    ),
    "Black wins. The other side has no legal move.": ("Nigra venkas. ", "Zmaga črni. "),
    "I do not see the board as you entered it: c3 needs a white king, a5 must be empty. Does it stand so?": (
        "Mi ne vidas la tabulon tia, kia vi enigis ĝin: al c3 mankas blanka damo, a5 estu malplena. Ĉu ĝi staras tiel?",
        "Deske ne vidim tako, kot ste jo vnesli: na c3 manjka bela dama, a5 mora biti prazno. Ali stoji tako?",
    ),
    "This cannot be: no white man can stand on d8: there it becomes a white king.": (
        "Tio ne eblas: sur d8 ne povas stari blanka disketo: tie ĝi fariĝas blanka damo.",
        "To ni mogoče: na d8 ne more stati beli mož: tam postane bela dama.",
    ),
    "This cannot be: black has 13 pieces; in this game a side has at most 12.": (
        "Tio ne eblas: la nigra havas 13 pecojn; en ĉi tiu ludo unu flanko havas maksimume 12.",
        "To ni mogoče: črni ima 13 figur; v tej igri jih ima ena stran največ 12.",
    ),
    "You set the position on c3, c5: the game goes on from there.": (
        "Vi korektis la pozicion ĉe c3, c5: la partio daŭras de tie.",
        "Popravili ste postavitev na c3, c5: partija se nadaljuje od tod.",
    ),
}


@pytest.fixture
def tongues(fake: Any) -> Any:
    """The fake table with the real catalogues."""
    fake.texts = {language: texts_json(language) for language in ("eo", "sl")}
    return fake


@pytest.mark.parametrize(("language", "number"), [("eo", 0), ("sl", 1)])
def test_what_the_match_says_is_translated_with_its_places(
    language: str, number: int, tongues: Any, open_page: OpenPage, situations: Show
) -> None:
    situations["play"](tongues)
    page = open_page(url=f"{tongues.url}?language={language}")
    expect(page.locator("html")).to_have_attribute("lang", language)
    translate = "async said => (await import('/static/texts.js')).told(said)"
    for english, translations in SAID.items():
        assert page.evaluate(translate, english).startswith(translations[number])
    # What no catalogue knows stays as it is.
    assert page.evaluate(translate, "Camera 0 is on fire: run.") == "Camera 0 is on fire: run."


def test_a_page_speaks_as_the_browser_prefers_unless_the_program_says_otherwise(
    tongues: Any, open_page: OpenPage, situations: Show
) -> None:
    situations["play"](tongues)
    tongues.state["language"] = None
    slovene = open_page(locale="sl-SI")
    expect(slovene.locator("#new-game")).to_have_text("Nova partija")
    german = open_page(locale="de-DE")
    expect(german.locator("#new-game")).to_have_text("New game")
    tongues.state["language"] = "eo"
    expect(open_page(locale="sl-SI").locator("#new-game")).to_have_text("Nova partio")


def test_a_language_is_chosen_on_the_page_and_kept(tongues: Any, open_page: OpenPage, situations: Show) -> None:
    situations["illegal"](tongues)
    page = open_page()
    page.select_option("#language", "sl")
    expect(page.locator("#resign")).to_have_text("Predaj")
    expect(page.locator("#sentence")).to_contain_text("ni dovoljena")
    page.reload()
    expect(page.locator("#resign")).to_have_text("Predaj")
    page.select_option("#language", "en")
    expect(page.locator("#resign")).to_have_text("Resign")
    assert tongues.named("language") == []  # two pages at one table may speak two languages


@pytest.mark.parametrize("width", [360, 1280])
def test_a_game_that_was_cut_off_is_offered(width: int, fake: Any, open_page: OpenPage, situations: Show) -> None:
    situations["play"](fake)
    fake.state["offer"], fake.state["moves"] = OFFER, []
    page = open_page(width=width)
    offer = page.locator("#offer")
    expect(offer).to_contain_text("Go on with the game of 14:05?")
    expect(offer).to_contain_text("English draughts, moves made: 12")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.click("#offer-yes")
    page.wait_for_timeout(100)
    assert len(fake.named("resume")) == 1
    page.click("#offer-no")
    expect(offer).to_be_hidden()


def test_the_game_that_the_machine_is_named_after_is_named_once(
    fake: Any, open_page: OpenPage, situations: Show
) -> None:
    situations["play"](fake)
    page = open_page()
    key = fake.state["game"]["key"]
    name = fake.state["game"]["name"]
    shown = page.locator("h1").inner_text().split()
    assert (key != "damludo") or shown == ["Damludo"], name
    assert page.title() in ("Damludo (simulation)", f"{name} – Damludo (simulation)")
    assert "Damludo – Damludo" not in page.title()


@pytest.mark.parametrize("width", [360, 1280])
def test_the_dialog_for_a_new_game_shows_the_chosen_one_and_begins_on_top(
    width: int, fake: Any, open_page: OpenPage, situations: Show
) -> None:
    situations["play"](fake)
    page = open_page(width=width, height=740)
    page.click("#new-game")
    chosen = page.locator("#sheet [name=game]:checked").locator("xpath=ancestor::label")
    assert chosen.evaluate(
        """card => {
            const box = card.getBoundingClientRect(), list = card.closest(".choice-list").getBoundingClientRect();
            return box.top >= list.top - 1 && box.bottom <= list.bottom + 1;
        }"""
    )
    page.click("#sheet button[type=submit]")
    expect(page.locator("#sheet")).to_be_hidden()
    assert page.evaluate("[scrollY, document.activeElement.id]") == [0, "board"]


def test_every_sentence_of_the_page_is_in_both_catalogues() -> None:
    """The literals that the modules give to `t`, the words they choose by a value, and what stands in the page itself."""
    folder = Path(__file__).parents[4] / "play" / "page"
    wanted: set[str] = set()
    for module in (folder / "static").glob("*.js"):
        text = module.read_text(encoding="utf-8")
        wanted |= set(re.findall(r'\bt\(\s*"((?:[^"\\]|\\.)+)"', text))
    words = (folder / "static" / "words.js").read_text(encoding="utf-8")
    wanted |= set(re.findall(r'(?:: |does: )"((?:[^"\\])+)"', words)) - {"both", "real", "simulation"}
    html = (folder / "static" / "index.html").read_text(encoding="utf-8")
    wanted |= set(re.findall(r"data-t>([^<]+)<", html)) | set(re.findall(r'data-t-label aria-label="([^"]+)"', html))
    games = tomllib.loads((folder / "games.toml").read_text(encoding="utf-8"))
    wanted |= {line for game in games.values() for line in game["lines"]}
    assert len(wanted) > 140
    for language in ("eo", "sl"):
        assert wanted - set(texts_json(language)) == set()


def test_translations_have_the_places_of_their_sentences() -> None:
    for language in ("eo", "sl"):
        for english, translation in texts_json(language).items():
            assert sorted(re.findall(r"\{\w+\}", english)) == sorted(re.findall(r"\{\w+\}", translation)), english
