"""Writes out the kernels for one game: its constants become literals, its loops over constants are unrolled, dead branches go.

The kernels are plain Python against the names of `kernels/constants.py`. What this module writes is plain Python again, so it
runs with and without a compiler.
"""

import ast
import copy
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from damludo.engine.layout import Bits, Constants, Table, Value

_COMPARISONS: Mapping[type[ast.cmpop], Callable[[object, object], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Gt: cast("Callable[[object, object], bool]", operator.gt),
    ast.Lt: cast("Callable[[object, object], bool]", operator.lt),
}


class Specialiser(ast.NodeTransformer):
    """Replaces the names of constants by their values and works out what follows.

    Args:
        constants: by name; tables stay names.
        literal: how a set of squares is written.
    """

    def __init__(self, constants: Constants, literal: Callable[[Bits], ast.expr]) -> None:
        self._values = {name: value for name, value in constants.items() if not isinstance(value, Table)}
        self._literal = literal

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if not isinstance(node.ctx, ast.Load) or node.id not in self._values:
            return node
        return self._written(self._values[node.id])

    def _written(self, value: Value) -> ast.expr:
        if isinstance(value, Bits):
            return self._literal(value)
        if isinstance(value, tuple):
            return ast.Tuple([self._written(part) for part in value], ast.Load())
        return ast.Constant(value)

    def visit_For(self, node: ast.For) -> ast.stmt | list[ast.stmt]:
        values = self._values.get(node.iter.id) if isinstance(node.iter, ast.Name) else None
        if not isinstance(values, tuple):
            return cast("ast.For", self.generic_visit(node))
        unrolled: list[ast.stmt] = []
        for value in values:
            inner = self._bound(node.target, value)
            unrolled += inner.body([copy.deepcopy(statement) for statement in node.body])
        return unrolled

    def _bound(self, target: ast.expr, value: Value) -> "Specialiser":
        """Return a specialiser that knows the loop variables too."""
        names = target.elts if isinstance(target, ast.Tuple) else [target]
        parts = value if isinstance(target, ast.Tuple) else (value,)
        assert isinstance(parts, tuple)
        bound = {name.id: part for name, part in zip(names, parts, strict=True) if isinstance(name, ast.Name)}
        return Specialiser({**self._values, **bound}, self._literal)

    def body(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Specialise a list of statements."""
        done: list[ast.stmt] = []
        for statement in statements:
            result = self.visit(statement)
            done += result if isinstance(result, list) else [result] if result is not None else []
        return done

    def visit_If(self, node: ast.If) -> ast.stmt | list[ast.stmt]:
        test = self.visit(node.test)
        if isinstance(test, ast.Constant):
            return self.body(node.body if test.value else node.orelse)
        return ast.If(test, self.body(node.body) or [ast.Pass()], self.body(node.orelse))

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        test = self.visit(node.test)
        if isinstance(test, ast.Constant):
            return cast("ast.expr", self.visit(node.body if test.value else node.orelse))
        return ast.IfExp(test, self.visit(node.body), self.visit(node.orelse))

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        decides = isinstance(node.op, ast.Or)
        parts: list[ast.expr] = []
        for part in map(self.visit, node.values):
            if isinstance(part, ast.Constant):
                if bool(part.value) is decides:
                    return ast.Constant(decides)
                continue
            parts.append(part)
        if not parts:
            return ast.Constant(not decides)
        return parts[0] if len(parts) == 1 else ast.BoolOp(node.op, parts)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        operand = self.visit(node.operand)
        if isinstance(node.op, ast.Not) and isinstance(operand, ast.Constant):
            return ast.Constant(not operand.value)
        return ast.UnaryOp(node.op, operand)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        left, right = self.visit(node.left), [self.visit(part) for part in node.comparators]
        if isinstance(left, ast.Constant) and isinstance(right[0], ast.Constant) and type(node.ops[0]) in _COMPARISONS:
            return ast.Constant(_COMPARISONS[type(node.ops[0])](left.value, right[0].value))
        return ast.Compare(left, node.ops, right)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        call = cast("ast.Call", self.generic_visit(node))
        if isinstance(call.func, ast.Name) and call.func.id == "len" and isinstance(call.args[0], ast.Tuple):
            return ast.Constant(len(call.args[0].elts))
        return call


def functions_of(module: ast.Module) -> list[ast.FunctionDef]:
    """The functions of a kernel module."""
    return [statement for statement in module.body if isinstance(statement, ast.FunctionDef)]


def strip(function: ast.FunctionDef) -> None:
    """Take the docstring and the annotations off a function."""
    if ast.get_docstring(function) is not None:
        function.body = function.body[1:] or [ast.Pass()]
    for argument in function.args.args:
        argument.annotation = None
    function.returns = None
