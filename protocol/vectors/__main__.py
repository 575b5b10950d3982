"""`python -m protocol.vectors` writes the vectors again; the same bytes every time."""

from __future__ import annotations

from protocol.vectors.files import FOLDER, make_files


def main() -> None:
    """Write every file, and say how large it became."""
    total = 0
    for name, text in make_files():
        (FOLDER / name).write_text(text, encoding="ascii")
        total += len(text)
        print(f"{name:<16} {text.count(chr(10)):>5} lines {len(text):>8,} bytes")
    print(f"{'in all':<16} {'':>11} {total:>8,} bytes")


if __name__ == "__main__":
    main()
