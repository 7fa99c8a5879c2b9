"""What all tests share: where the test data lies, and what a skipped test means."""

import os
import signal
from collections.abc import Generator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

ONLY_WHEN_ASKED = ("hardware", "long")
"""Markers of tests that need a real table, or more time than anybody waits for."""


def pytest_configure() -> None:
    """Hear interrupts: a shell that runs the tests in the background ignores them, and programs inherit what is ignored."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _everything_required() -> bool:
    return os.environ.get("DAMLUDO_REQUIRE") == "all"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that nobody waits for, unless the marker expression asks for them by name."""
    unasked = [marker for marker in ONLY_WHEN_ASKED if marker not in config.option.markexpr]
    left_out = [item for item in items if any(item.get_closest_marker(marker) for marker in unasked)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skip into a failure where everything is required."""
    report = yield
    _forbid_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Turn the skip of a whole module into a failure where everything is required."""
    report = yield
    _forbid_skip(report)
    return report


def _forbid_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    if _everything_required() and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, but DAMLUDO_REQUIRE=all: {report.longrepr}"


@pytest.fixture(scope="session")
def root() -> Path:
    """The top folder of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def test_data() -> Path:
    """The folder with photographs and game records: DAMLUDO_TEST_DATA, else `../shared` beside the checkout. Skips without it."""
    folder = Path(os.environ.get("DAMLUDO_TEST_DATA") or ROOT.parent / "shared").resolve()
    if not folder.is_dir():
        pytest.skip(f"the test data folder {folder} does not exist: set DAMLUDO_TEST_DATA")
    return folder
