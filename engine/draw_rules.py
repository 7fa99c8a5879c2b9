"""A game's draw rules as constants for the kernels."""

from damludo.engine.layout import Bits, Constants, Layout, Value
from damludo.rules.position import Kind
from damludo.rules.traits import BareDraw, Event, Force, MoveLimit, Variant

EVENTS = (Event.CAPTURE, Event.MAN_MOVE, Event.CROWNING)
"""An event's bit in the kernels is its place here."""


def limits_of(variant: Variant) -> tuple[MoveLimit, ...]:
    """Return the rules of moves without progress, in the order of the kernels."""
    return tuple(rule for rule in variant.draws if isinstance(rule, MoveLimit))


def draws_of(variant: Variant, layout: Layout) -> Constants:
    """Return the constants of the draw rules."""
    man = variant.movers[Kind.MAN]
    return {
        "RULES": tuple(_rule(number, rule, layout) for number, rule in enumerate(limits_of(variant))),
        "BARE": tuple(
            (*rule.material.strong.pieces, *rule.material.weak.pieces)
            for rule in variant.draws
            if isinstance(rule, BareDraw)
        ),
        "MAN_RETURNS": any((-x, -y) in man.steps for x, y in man.steps),
    }


def _rule(number: int, rule: MoveLimit, layout: Layout) -> Value:
    plies = rule.moves * (1 if rule.strong_only else 2)
    resets = sum(1 << bit for bit, event in enumerate(EVENTS) if event in rule.resets)
    strong = rule.material.strong if rule.material else Force()
    weak = rule.material.weak if rule.material else Force()
    total = rule.material.total if rule.material else (0, 999)
    bounds = (*total, *strong.pieces, *strong.kings, *weak.pieces, weak.kings[0])
    places = (_within(strong, layout), _within(weak, layout))
    return (number, plies, resets, rule.strong_only, rule.material is not None, *bounds, *places)


def _within(force: Force, layout: Layout) -> Bits:
    return layout.bits(force.within) if force.within is not None else Bits(-1)
