"""Write the golden views: `python -m tests.interfaces.terminal.live.make_golden`."""

from pathlib import Path

from oddly.interfaces.terminal.live.view import view
from tests.interfaces.terminal.live.run_snapshots import run

FOLDER = Path(__file__).parents[3] / "data" / "views"
SIZES = ((80, 24), (120, 40), (40, 10))
SCENES = {
    "playing": {},
    "paused": {"paused": True, "said": "paused: no"},
    "help": {"helping": True},
}


def golden(name: str, width: int, height: int) -> str:
    lines = view(run(**SCENES[name]), width, height)
    return "".join(f"{line.plain.rstrip()}\n" for line in lines)


def path(name: str, width: int, height: int) -> Path:
    return FOLDER / f"{name}-{width}x{height}.txt"


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in SCENES:
        for size in SIZES:
            path(name, *size).write_text(golden(name, *size), encoding="utf-8")


if __name__ == "__main__":
    main()
