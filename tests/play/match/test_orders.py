"""The tray of orders: who fills it never waits, who empties it neither."""

import queue

import pytest

from damludo.play.match.orders import OrderTray
from damludo.play.match.ports import Command


def test_orders_come_out_as_they_went_in() -> None:
    tray = OrderTray()
    for order in (Command.HINT, Command.DRAW):
        tray.put(order)
    assert [tray.poll(), tray.poll(), tray.poll()] == [Command.HINT, Command.DRAW, None]


def test_a_full_tray_takes_no_more() -> None:
    tray = OrderTray(1)
    tray.put(Command.HINT)
    with pytest.raises(queue.Full):
        tray.put(Command.DRAW)


def test_go_is_told_once_for_each_time_it_was_said() -> None:
    tray = OrderTray()
    assert not tray.said_go()
    tray.say_go()
    assert [tray.said_go(), tray.said_go()] == [True, False]


def test_a_cleared_tray_has_forgotten_everything() -> None:
    tray = OrderTray()
    tray.put(Command.HINT)
    tray.say_go()
    tray.clear()
    assert (tray.poll(), tray.said_go()) == (None, False)
