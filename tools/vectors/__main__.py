"""`python -m tools.vectors --write` makes the vectors again, always the same bytes."""

from __future__ import annotations

import argparse

from tools.vectors.files import FOLDER, make_files


def main() -> None:
    """Print the size of every file and whether it would change; write it with --write."""
    parser = argparse.ArgumentParser(prog="python -m tools.vectors", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the files")
    write = parser.parse_args().write
    total = 0
    for name, text in make_files():
        path = FOLDER / name
        is_new = not path.exists() or path.read_text(encoding="ascii") != text
        if write:
            path.write_text(text, encoding="ascii")
        total += len(text)
        news = ("written" if write else "would change") if is_new else "as it is"
        print(f"{name:<16} {text.count(chr(10)):>5} lines {len(text):>8,} bytes, {news}")
    print(f"{'in all':<16} {'':>11} {total:>8,} bytes")


if __name__ == "__main__":
    main()
