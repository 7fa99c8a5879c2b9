"""Look for bytes at which a reader stumbles, guided by what each input reaches in the code. Needs Atheris, see `README.md`.

python tests/rules/fuzz/fuzz.py fen|pdn [CORPUS] [options of libFuzzer]
"""

import importlib
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent

WORDS = (
    "[FEN ", "[GameType ", "[Variant ", "[Result ", "[SetUp ", "ruling:", "stands", "remove:", "1/2-1/2", "2-0", "0-1", "1.",
    "W:W", ":B", "B:B", "K1", "P8", "1-12", "32-28", "19-23", "28x19", "14:23", "c3-d4", "c3xe5xg7", "8/8/8/8/8/8/8/8 w", "$14",
)  # fmt: skip
"""Words of both languages, from which inputs are made too."""


def main() -> None:
    """Fuzz until an input breaks a promise, or libFuzzer's limits are reached."""
    atheris = importlib.import_module("atheris")
    with atheris.instrument_imports(include=["damludo"]):
        targets = importlib.import_module("targets")
    name, options = sys.argv[1], sys.argv[2:]
    scratch = Path(tempfile.mkdtemp(prefix=f"damludo-fuzz-{name}-"))
    (scratch / "words").write_text("".join(f'"{word}"\n' for word in WORDS), encoding="ascii")
    (scratch / "seeds").mkdir()
    for number, seed in enumerate(targets.seeds(name)):
        (scratch / "seeds" / f"{number:03}").write_bytes(seed)
    corpora = [option for option in options if not option.startswith("-")]
    settings = [f"-dict={scratch / 'words'}", "-timeout=10", "-rss_limit_mb=1024", "-only_ascii=0"]
    chosen = [option for option in options if option.startswith("-")]
    atheris.Setup(
        [sys.argv[0], *settings, *chosen, *corpora, str(scratch / "seeds")],
        lambda data: targets.hold_to_limits(name, data),
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main()
