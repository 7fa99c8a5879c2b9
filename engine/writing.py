"""Writes the module of kernels for one game: see `specialise`."""

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from damludo.engine.draw_rules import draws_of
from damludo.engine.features import features_of
from damludo.engine.kernels import places
from damludo.engine.layout import HALF, LOW, WORD, Bits, Constants, Table, constants_of, layout_of
from damludo.engine.specialise import Specialiser, functions_of, strip
from damludo.engine.table_shape import table_shape
from damludo.rules.traits import Variant

KERNELS = Path(__file__).parent / "kernels"
PARTS: Mapping[str, tuple[str, ...]] = {
    "moves": ("moves", "perft"),
    "search": ("evaluation", "endgames", "drawing", "ordering", "search"),
    "tables": ("tables",),
}
"""The modules that are written for a game, and the kernel files in each; a later part may call the earlier ones."""
ENTRIES = frozenset(
    (
        "generate",
        "after",
        "get",
        "count_moves",
        "perft",
        "find",
        "rate",
        "key_after",
        "visit",
        "first_moves",
        "evaluate",
        "first_values",
        "look_back",
        "count_wrong",
        "entry_of",
    )
)
"""The functions that Python calls; the others are called by these alone."""


@dataclass(frozen=True, slots=True)
class Form:
    """A way to run the kernels.

    Attributes:
        name: also part of the name of the cache folder.
        sets: the kernel files that say what a set of squares is; a function in a later one replaces its namesake.
        set_type: its type in signatures; empty where nothing is compiled.
    """

    name: str
    sets: tuple[str, ...]
    set_type: str
    imports: tuple[str, ...] = ()


PLAIN = Form("plain", ("whole",), "")
_COMPILED_IMPORTS = (
    "from damludo.engine.decorators import decorators",
    "from numpy import array, int64",
    "from damludo.engine.layout import HALF, LOW, WORD",
    "from damludo.engine.intrinsics import count_bits, count_zeros, reverse_bits",
    "entry, inner = decorators(READY)",
)
ONE_WORD = Form("word", ("whole", "words"), "int64", _COMPILED_IMPORTS)
TWO_WORDS = Form(
    "pair", ("pairs",), "UniTuple(int64, 2)", (*_COMPILED_IMPORTS, "from damludo.engine import pair_operators")
)


@cache
def all_constants(variant: Variant) -> Constants:
    """Return every constant of a game."""
    layout = layout_of(variant.board)
    return constants_of(variant) | features_of(variant) | draws_of(variant, layout) | table_shape(variant)


def files_of(part: str, form: Form) -> tuple[str, ...]:
    """Return the kernel files that make up a part."""
    return (*(form.sets if part == "moves" else ()), *PARTS[part])


def source_of(variant: Variant, part: str, form: Form) -> str:
    """Return the text of one module for a game."""
    constants = all_constants(variant)
    literal = {"plain": _whole, "word": _signed, "pair": _pair}[form.name]
    trees = [ast.parse((KERNELS / f"{name}.py").read_text(encoding="utf-8")) for name in files_of(part, form)]
    functions = {function.name: function for tree in trees for function in functions_of(tree)}
    body = Specialiser({**constants, **_places()}, literal).body(list(functions.values()))
    for statement in body:
        assert isinstance(statement, ast.FunctionDef)
        if form.set_type:
            statement.decorator_list = [_compiled(statement, form.set_type)]
        strip(statement)
    text = ast.unparse(ast.fix_missing_locations(ast.Module(body, [])))
    used = {node.id for statement in body for node in ast.walk(statement) if isinstance(node, ast.Name)}
    return "\n".join((*form.imports, *_tables(constants, used, form), text, ""))


@cache
def _places() -> Constants:
    """The numbers of `kernels/places.py`."""
    return {name: value for name, value in vars(places).items() if isinstance(value, int)}


def _whole(squares: Bits) -> ast.expr:
    return ast.Constant(int(squares))


def _signed(squares: Bits) -> ast.expr:
    return ast.Constant(signed(squares))


def _pair(squares: Bits) -> ast.expr:
    return ast.Tuple([ast.Constant(squares & LOW), ast.Constant(squares >> HALF & LOW)], ast.Load())


def signed(word: int) -> int:
    """Return the number that has the bits of a word as a signed one."""
    return (word & (1 << WORD) - 1 ^ 1 << WORD - 1) - (1 << WORD - 1)


def _tables(constants: Constants, used: Iterable[str], form: Form) -> list[str]:
    tables = {name: value for name, value in constants.items() if isinstance(value, Table) and name in set(used)}
    if form is PLAIN:
        return [f"{name} = {table.values!r}" for name, table in tables.items()]
    return [f"{name} = array({list(table.values)!r}, int64)" for name, table in tables.items()]


def _compiled(function: ast.FunctionDef, set_type: str) -> ast.expr:
    """The decorator that has a function compiled, with the signature that its annotations name."""
    types = {"int": "int64", "bool": "boolean", "Set": set_type, "Ints": "int64[::1]"}
    types |= {"None": "void", "Pair": set_type, "Smalls": "int16[::1]"}
    arguments = ", ".join(
        types[ast.unparse(argument.annotation)] for argument in function.args.args if argument.annotation
    )
    assert function.returns is not None
    returns = function.returns
    if isinstance(returns, ast.Subscript) and isinstance(returns.slice, ast.Tuple):
        result = f"Tuple(({', '.join(types[ast.unparse(part)] for part in returns.slice.elts)}))"
    else:
        result = types[ast.unparse(returns)]
    text = f"{'entry' if function.name in ENTRIES else 'inner'}({f'{result}({arguments})'!r})"
    return ast.parse(text, mode="eval").body
