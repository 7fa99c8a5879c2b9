"""The catalogues: complete, with the same places to fill in, and right where number decides the form."""

import ast
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from string import Formatter

import pytest

from damludo.rules import explanation
from damludo.rules.actions import Action
from damludo.rules.conduct import judge, judge_attempt
from damludo.rules.ending import agreed_draw, out_of_time, resigned
from damludo.rules.errors import BadCatalogue, UnknownLanguage
from damludo.rules.explanation import explain
from damludo.rules.game import Game
from damludo.rules.messages import LANGUAGES, Catalogue, catalogue, read_catalogue, translated
from damludo.rules.moves import legal_moves
from damludo.rules.notation import parse_fen, parse_squares
from damludo.rules.penalties import Penalty
from damludo.rules.position import Colour
from damludo.rules.variants import VARIANTS, variant
from damludo.rules.verdicts import HandStays, Legal, Nothing, Offence, OpponentDecides, Reason, Unfinished

TRANSLATED = [language for language in LANGUAGES if language != "en"]


def _in_code() -> Iterator[str]:
    """The sentences that `explanation.py` hands to a catalogue by name, and the ways of joining."""
    tree = ast.parse(Path(explanation.__file__).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if name in ("text", "counted", "_joined"):
            # Of a counted sentence the first string is the key.
            yield from [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)][:1]


def _articles() -> Iterator[str]:
    board, start = VARIANTS["english"].board, VARIANTS["english"].start
    quiet = legal_moves(VARIANTS["english"], start)[0]
    yield from (reason.value for reason in Reason)
    yield from (Nothing(board).article, Legal(quiet, board).article)
    yield Unfinished((quiet,), (), False, (), quiet.target, board).article
    yield from (ruling.article for ruling in (HandStays(board), OpponentDecides((), board)))
    yield Offence((), Penalty.NONE, board).article
    yield from explanation.CROWNING.values()
    yield from (penalty.value for penalty in Penalty)


def _results() -> Iterator[str]:
    for side, what, tail in product(Colour, ("no legal move", "no piece left"), (".", ", which wins in this game.")):
        yield f"{side.word.capitalize()} has {what}{tail}"
    yield from (rule(side).reason for side in Colour for rule in (resigned, out_of_time))
    yield agreed_draw().reason
    yield from (rule(side).text for side in Colour for rule in (resigned,))
    yield agreed_draw().text


def _of_the_games() -> Iterator[str]:
    for game in VARIANTS.values():
        yield from game.rules
        yield from (rule.article for rule in game.draws)


def everything_said() -> set[str]:
    return {
        *_in_code(), *_articles(), *_results(), *_of_the_games(), *explanation.SENTENCES.values(), *explanation.NUMBERS,
    }  # fmt: skip


def places(sentence: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(sentence) if name}


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_catalogue_holds_what_is_said_and_nothing_else(language: str) -> None:
    assert set(catalogue(language).sentences) == everything_said()
    assert len(everything_said()) > 150


@pytest.mark.parametrize("language", TRANSLATED)
def test_translations_fill_in_the_same_values(language: str) -> None:
    for sentence, forms in catalogue(language).sentences.items():
        assert all(form.strip() for form in forms)
        assert [places(form) for form in forms] == [places(sentence)] * len(forms), sentence


@pytest.mark.parametrize("language", TRANSLATED)
def test_translations_end_as_the_sentence_does(language: str) -> None:
    """An article is a sentence with a full stop and a capital; a verdict is a clause without them."""
    for sentence, forms in catalogue(language).sentences.items():
        for form in forms:
            assert form.endswith(".") == sentence.endswith(".")
            assert form[0].isupper() == sentence[0].isupper() or not sentence[0].isalpha()


@pytest.mark.parametrize("language", TRANSLATED)
def test_numbers_in_articles_are_kept(language: str) -> None:
    for sentence, forms in catalogue(language).sentences.items():
        digits = [word.strip(".,;") for word in sentence.split() if word[:1].isdigit()]
        assert all(digit in forms[0] for digit in digits), sentence


TWO_OR_ONE = "8/8/3b4/8/3b1b2/4w3/8/8 w"


def took_one(language: str) -> str:
    game = variant("damludo")
    square = game.board.square
    action = Action(square("e3"), square("g5"), frozenset({square("f4")}))
    return explain(judge(game, parse_fen(game, TWO_OR_ONE), action), language)


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "you must capture the most: e3xc5xe7 takes two, you took one"),
        ("eo", "vi devas kapti kiel eble plej multe: e3xc5xe7 prenas du pecojn, vi prenis unu pecon"),
        ("sl", "vzeti morate največ, kar je mogoče: e3xc5xe7 vzame dve figuri, vzeli ste eno figuro"),
    ],
)
def test_a_capture_too_small_is_said_in_every_language(language: str, sentence: str) -> None:
    assert took_one(language) == sentence


@pytest.mark.parametrize(
    ("count", "form"),
    [
        (1, "druga"),
        (2, "drugi"),
        (3, "druge"),
        (4, "druge"),
        (5, "drugih"),
        (11, "drugih"),
        (101, "druga"),
        (103, "druge"),
    ],
)
def test_slovene_has_four_forms(count: int, form: str) -> None:
    said = catalogue("sl").counted("{moves} (and {count} more)", "", count, moves="")
    assert said == f" (in še {count} {form})"


@pytest.mark.parametrize(("count", "form"), [(1, "plia"), (2, "pliaj"), (21, "pliaj")])
def test_esperanto_has_two_forms(count: int, form: str) -> None:
    said = catalogue("eo").counted("{moves} (and {count} more)", "", count, moves="")
    assert said == f" (kaj {count} {form})"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", VARIANTS)
def test_every_attempt_is_explained_in_every_language(key: str, language: str) -> None:
    """From every square to every third one: all places are filled in."""
    game = variant(key)
    for origin in game.board.playable[::2]:
        for target in game.board.playable[::3]:
            said = explain(judge_attempt(game, game.start, (origin, target)), language)
            assert said
            assert "{" not in said


def test_results_and_articles_are_whole_sentences() -> None:
    result = Game.new(variant("english"), parse_fen(variant("english"), "W:W:B1")).result()
    assert result is not None
    assert translated(result.reason, "eo") == "Blanko havas neniun pecon plu."
    assert translated(Reason.MUST_CAPTURE.value, "sl") == "Jemanje je obvezno."
    assert translated("An unknown sentence with {braces}.", "sl") == "An unknown sentence with {braces}."


def test_a_removal_is_named_in_the_language() -> None:
    game = variant("hawaiian")
    said = explain(judge_attempt(game, game.start, parse_squares(game, "d5")), "eo")
    assert said == "forpreno de la ŝtono sur d5 estas permesita movo"


def test_an_unknown_language_is_refused_by_name() -> None:
    with pytest.raises(UnknownLanguage, match="choose one of en, eo, sl"):
        catalogue("xx")


@pytest.mark.parametrize(
    "text",
    [
        'msgid "a"\nmsgstr "b"\n\nmsgid "a"\nmsgstr "c"\n',
        'msgid "a"\nmsgid_plural "b"\nmsgstr[0] "c"\n',
        "msgid a\n",
        '"before any entry"\n',
    ],
)
def test_a_damaged_catalogue_is_refused(text: str) -> None:
    with pytest.raises(BadCatalogue):
        read_catalogue("eo", text)


def test_escapes_and_continued_lines_are_read() -> None:
    read = read_catalogue("eo", 'msgid "say \\"a\\""\nmsgstr ""\n"diru "\n"\\"b\\"\\n"\n')
    assert read == Catalogue("eo", {'say "a"': ('diru "b"\n',)}, read.form)
