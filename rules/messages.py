"""What the rules say to people, in English, Esperanto and Slovene.

The English sentences in the code are the message ids; `catalogues/<language>.po` hold the translations in the form of gettext,
so that any editor for translators opens them. They are read as they are, once, when a language is first asked for: there is no
compiled form that could be out of date. A sentence that a catalogue lacks appears in English; a test keeps them complete.
"""

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from damludo.rules.errors import BadCatalogue, UnknownLanguage

LANGUAGES = ("en", "eo", "sl")
"""The languages by their two letters; English needs no catalogue."""

FOLDER = Path(__file__).parent / "catalogues"


def _english(count: int) -> int:
    return int(count != 1)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The sentences of one language.

    Attributes:
        language: its two letters.
        sentences: the translation of each English sentence; all plural forms of it, one for a sentence without a number.
        form: which plural form a number takes.
    """

    language: str
    sentences: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    form: Callable[[int], int] = _english

    def text(self, sentence: str, **values: object) -> str:
        """Return a sentence with its places filled in."""
        return self.sentences.get(sentence, (sentence,))[0].format(**values)

    def counted(self, one: str, many: str, count: int, **values: object) -> str:
        """Return the sentence that goes with a number; the number itself is filled in as `count`."""
        return self.sentences.get(one, (one, many))[self.form(count)].format(count=count, **values)


@cache
def catalogue(language: str) -> Catalogue:
    """Return the sentences of a language.

    Raises:
        UnknownLanguage: it is none of `LANGUAGES`.
    """
    if language not in LANGUAGES:
        raise UnknownLanguage(f"there is no language {language[:20]!r} here; choose one of {', '.join(LANGUAGES)}")
    if language == "en":
        return Catalogue(language)
    return read_catalogue(language, (FOLDER / f"{language}.po").read_text(encoding="utf-8"))


def translated(sentence: str, language: str) -> str:
    """Return a whole sentence (an article, a rule of a game, the reason of a result) in a language."""
    # Not by `text`: a sentence that comes from elsewhere may hold braces.
    return catalogue(language).sentences.get(sentence, (sentence,))[0]


def read_catalogue(language: str, text: str) -> Catalogue:
    """Return the catalogue of a PO file: entries of msgid, msgid_plural, msgstr, msgstr[n] and quoted lines that go on.

    Raises:
        BadCatalogue: a line is none of these, an entry is given twice, or plural forms are missing.
    """
    sentences: dict[str, tuple[str, ...]] = {}
    form: Callable[[int], int] = _english
    forms = 2
    for entry in _entries(text):
        strings = tuple(value for keyword, value in entry.items() if keyword.startswith("msgstr"))
        sentence = entry["msgid"]
        if not sentence:
            form, forms = _plural_rule(strings[0])
        elif sentence in sentences or len(strings) != (forms if "msgid_plural" in entry else 1):
            raise BadCatalogue(f"{language}.po: {sentence[:40]!r} is given twice or has not {forms} forms")
        else:
            sentences[sentence] = strings
    return Catalogue(language, sentences, form)


def _entries(text: str) -> list[dict[str, str]]:
    entries: list[dict[str, str]] = []
    keyword = ""
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        head, _, quoted = line.partition('"')
        if head:
            keyword = head.strip()
            if keyword == "msgid":
                entries.append({})
        if not entries or not keyword.startswith("msg") or not line.endswith('"'):
            raise BadCatalogue(f"line {number} of the catalogue is no entry: {line[:40]!r}")
        # The escapes of PO are those of a Python string.
        entries[-1][keyword] = entries[-1].get(keyword, "") + str(ast.literal_eval(f'"{quoted}'))
    return entries


def _plural_rule(head: str) -> tuple[Callable[[int], int], int]:
    """Return the rule of the head's `Plural-Forms: nplurals=N; plural=EXPRESSION`, and N."""
    from gettext import c2py  # here: only who reads a catalogue needs it

    fields = dict(line.split(": ", 1) for line in head.splitlines() if ": " in line)
    count, rule = fields["Plural-Forms"].rstrip(";").split(";")
    return c2py(rule.partition("=")[2]), int(count.partition("=")[2])
