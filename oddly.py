"""The command `oddly`, and `python -m oddly`: the one module with a name that nothing else has.

All else lies in packages with common names, such as `games`. Another package of such a name, found
first, is reported in a sentence; `interfaces.command_line.own_packages` looks at the rest.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

HOME = Path(__file__).parent


def main() -> int:
    """Run `oddly` with the words of the process; return the exit code."""
    spec = find_spec("interfaces")
    origin = None if spec is None else spec.origin
    if origin is None or Path(origin).resolve().parent != (HOME / "interfaces").resolve():
        print(
            f"oddly: the package 'interfaces' of oddly is not in {HOME}, but found at "
            f"{origin or 'nowhere'}: something else has taken its name. Start oddly by its "
            "command, without PYTHONPATH, from an environment of its own",
            file=sys.stderr,
        )
        return 2
    from interfaces.command_line import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
