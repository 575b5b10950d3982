"""`python -m tools.mutation.by_operator`: mutants that nobody chose, and what comes of survivors.

Each mutant is checked in all four games until a step fails. One that passes plays 12 games as in a
match, and analyzes for people: it may then forfeit nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import trio

from oddly.games import create_game
from oddly.protocol import parse_time_control
from oddly.referee import EngineConfiguration, EngineFault, EngineSeat, Termination, play_game
from tools.mutation.operators import NUMBERS, ROOT, SEED, Mutation, digest, sample
from tools.mutation.results import write_section
from tools.mutation.score import SIZES, step_that_finds

RESULTS = Path(__file__).parent / "by_operator.json"
UNSEEN = Path(__file__).parent / "unseen.json"
"""What came of other samples, by seed, which nobody had seen when they were drawn."""
BEGIN, END = "<!-- operators -->\n", "<!-- end of the operators -->\n"
GAMES_EACH = 3
FORFEITS = {
    Termination.TIME,
    Termination.CRASH,
    Termination.PROTOCOL,
    Termination.ILLEGAL_TURN,
    Termination.NO_START,
}
RATES = "It rates turns otherwise, and lists the same ones."
EQUAL = {
    "whole.py:205:13: 'count += 1' is 'pass'": "It writes 0 visits, as it may.",
    "full.py:359:55: '==' is '!='": RATES,
    "full.py:359:73: '-' is '+'": RATES,
    "full.py:358:35: '+' is '-'": RATES,
    "full.py:340:61: '-' is '+'": RATES,
    "full.py:671:5: 'serve(Engine())' is 'pass'": "`full.py` is not run as a program here.",
    "full.py:668:13: '==' is '!='": "`full.py` serves alone, without the commands of `whole.py`.",
    "whole.py:157:37: '0' is '1'": "It thinks for 8.1 s of a minute, not for 8.",
    "whole.py:157:32: '+' is '-'": "It answers at once, as it may.",
    "full.py:194:72: 'False' is 'True'": "It changes what Python prints of a position.",
    "whole.py:122:24: '1' is '2'": "It looks at more turns than it needs.",
    "whole.py:208:24: 'min' is 'max'": "It writes once per interval, at most 20 times a second.",
    "full.js:463:52: '1000' is '1001'": "It may choose any number of playouts.",
    "full.js:62:56: '1' is '2'": "Any number below 0 stands for no group.",
    "full.js:319:20: '+' is '-'": "A sum and a difference have the same parity.",
    "full.py:358:44: '+' is '-'": "A sum and a difference have the same parity.",
    "full.py:348:30: '+' is '-'": RATES,
    "full.py:89:62: '1' is '2'": "Distances are only compared, and all of them double.",
    "full.js:23:92: '6' is '7'": "There are six directions.",
    "full.js:30:35: '2' is '3'": "What lies outside the board is left out all the same.",
    "whole.py:227:64: 'True' is 'False'": "The first line is flushed with the second one.",
    "full.py:374:18: '-' is '+'": "A sum and a difference have the same parity.",
    "full.js:291:33: '<' is '<='": "No piece lies beyond the last point.",
    "whole.py:226:17: '0' is '1'": "It may choose any number of visits.",
    "whole.py:38:9: 'self.current = \"\"' is 'pass'": "It is set before it is read.",
    "full.py:77:82: '0' is '1'": "Distances are only compared, and all of them grow by one.",
    "whole.py:182:13: 'time.sleep(0.005)' is 'pass'": "It polls without pausing.",
    "full.py:239:67: '1' is '2'": (
        "Only the first two turns of a game are recognised by their number."
    ),
    'full.py:653:5: \'sys.stdin.reconfigure(errors="replace", newline="\\\\n")'
    "  # type: ignore[union-attr]' is 'pass'": "`full.py` is not run as a program here.",
    "whole.py:111:84: '1' is '2'": "It looks at more turns than it needs.",
    "whole.py:228:17: '0' is '1'": "It may choose any number of visits.",
    "full.py:491:38: '8' is '9'": "Before any game is set it is in a game of its choice.",
    "whole.py:265:67: '>' is '>='": "A value of 0 is a draw, which was reported before.",
    "whole.py:112:22: '1' is '2'": "It looks at half as many positions, and says `unknown` sooner.",
    "whole.py:230:13: 'count += 1' is 'pass'": "It writes 0 visits, as it may.",
    "whole.py:30:9: '5' is '6'": "It may choose any number of positions to look at.",
    "full.js:316:42: '<' is '<='": "No cell lies beyond the last one.",
    "full.js:164:42: '+' is '-'": "A sum and a difference have the same parity.",
    "full.js:464:28: '63' is '64'": "It lists the limit of seeds that it keeps to.",
    "full.js:464:34: '1' is '2'": "It lists the limit of seeds that it keeps to.",
}
"""Why a mutant that survives says the same as the engine that it was made of, by its name."""
MISSED = {
    "full.py:628:9: 'self.clock.left[player] = float(seconds)' is 'pass'": (
        "Missed: it ignores `time_left`, but its search ends before the clock does on these boards."
    ),
    "full.js:592:16: '0' is '1'": (
        "Missed: it accepts an argument to `version`. The check has tried that since."
    ),
    "whole.py:225:9: 'self.check(position)' is 'pass'": (
        "Missed: it sets up what no game can reach. The check has tried that since."
    ),
    "whole.py:69:62: '2' is '3'": (
        "Missed: it takes `known_command stop` behind a search for `stop`, and answers early."
    ),
    "whole.py:266:32: '<' is '<='": (
        "Missed: for a draw it names no turn that keeps it. The check has tried that since."
    ),
}
"""What the check misses, and why."""


def engine(folder: Path, files: tuple[str, ...], mutation: Mutation | None) -> tuple[str, ...]:
    """Write an engine into a folder and return its command line."""
    for file in files:
        text = (ROOT / file).read_text(encoding="utf-8")
        if mutation and mutation.file == file:
            text = mutation.apply(text)
        (folder / Path(file).name).write_text(text, encoding="utf-8")
    program = str(folder / Path(files[-1]).name)
    return (sys.executable, program) if program.endswith(".py") else ("node", program, "10")


def find(files: tuple[str, ...], mutation: Mutation) -> dict[str, Any]:
    """Return the step that finds a mutant, and for a survivor what it spoils."""
    with tempfile.TemporaryDirectory() as folder:
        command = engine(Path(folder), files, mutation)
        step = step_that_finds(command, tuple(SIZES))
        spoils = "" if step else trio.run(spoiled_by, command)
    return {"check": step, "spoils": spoils}


async def spoiled_by(command: tuple[str, ...]) -> str:
    """Return what an engine forfeits in 12 games, or how its analysis breaks, or ""."""
    time = parse_time_control("1")
    own = EngineConfiguration("mutant", command, time)
    words = (sys.executable, "-m", "oddly", "engine", "random")
    rival = EngineConfiguration("random", words, time)
    for name, size in SIZES.items():
        for number in range(GAMES_EACH):
            pair = (rival, own) if number % 2 else (own, rival)
            record = await play_game(create_game(name, size), pair, seed=number)
            outcome = record.outcome
            if outcome.termination in FORFEITS and outcome.winner == 1 - pair.index(own):
                return f"{name}: {outcome.reason}"
        if broken := await _broken(own, name, size):
            return f"{name}: {broken}"
    return ""


async def _broken(own: EngineConfiguration, name: str, size: int) -> str:
    """Return how an analysis of the start breaks, or ""."""
    async with trio.open_nursery() as nursery:
        seat = EngineSeat(own, nursery)
        try:
            await seat.start()
            if "analyze" in seat.commands:
                async with seat.analyze(create_game(name, size).start(), (), 0.05) as stream:
                    if await anext(stream, None) is None:
                        return "no analysis"
        except EngineFault as fault:
            return fault.reason
        finally:
            await seat.stop()
    return ""


def are_of_today(results: list[dict[str, Any]]) -> bool:
    """Return whether these mutants are drawn from the engines as they are now."""
    return [each["engine"] for each in results] == [digest(files) for files, _ in sample()]


KINDS = "a comparison, a sign, a number, a connective"


def section(results: list[dict[str, Any]]) -> str:
    """Return the section of docs/how-to/check-an-engine.md, without its marks."""
    found = sum(bool(each["check"]) for each in results)
    survivors = [each for each in results if not each["check"]]
    equal = [each for each in survivors if each["name"] in EQUAL]
    others = len(results) - len(equal)
    spoiled = [each for each in survivors if each["spoils"]]
    command = "`python -m tools.mutation.by_operator`"
    languages = " and ".join(f"{number} of `{files[0]}`" for files, number in NUMBERS.items())
    lines = [
        f"{command} draws {len(results)} mutants at random, {languages}:",
        f"in each, {KINDS} or a statement is replaced or missing.",
        f"{len(equal)} of them do nothing that the protocol forbids. Of the other {others}",
        f"the check alone finds {found} ({100 * found / others:.1f} %).",
        "The mutants that pass it play 12 games as in a match, and analyze for the page:",
        f"{len(spoiled)} of them forfeit a game or break an analysis.",
    ]
    if not are_of_today(results):
        lines.append("The engines have changed since: the command draws other mutants of them now.")
    lines += ["", *table(survivors), "", *unseen_lines()]
    return "\n".join(lines) + "\n"


def unseen() -> dict[str, list[dict[str, Any]]]:
    """Return the outcomes of the samples that nobody had seen, by seed."""
    kept: dict[str, list[dict[str, Any]]] = json.loads(UNSEEN.read_text(encoding="utf-8"))
    return kept


def rate(results: list[dict[str, Any]]) -> str:
    """Return how many of a sample's faulty mutants the check found: `53 of 54`."""
    found = sum(bool(each["check"]) for each in results)
    equal = sum(not each["check"] and each["name"] in EQUAL for each in results)
    return f"{found} of {len(results) - equal}"


def table(survivors: list[dict[str, Any]]) -> list[str]:
    """Return a table of mutants that survive, with the reason of each."""
    lines = ["| survives | because |", "| --- | --- |"] if survivors else []
    for each in survivors:
        why = each["spoils"] or (EQUAL | MISSED).get(each["name"], "")
        lines.append(f"| `{each['name']}` | {why} |")
    return lines


def unseen_lines() -> list[str]:
    """Return the paragraph and the table of the samples that nobody had seen."""
    kept = unseen()
    results = [each for sample in kept.values() for each in sample]
    *others_before, last = (f"`{seed}`" for seed in kept)
    seeds = f"{', '.join(others_before)} and {last}"
    survivors = [each for each in results if not each["check"]]
    others = [each for each in results if each["check"] or each["name"] not in EQUAL]
    found = sum(bool(each["check"]) for each in results)
    spoiled = sum(bool(each["spoils"]) for each in survivors)
    return [
        f"The seeds {seeds} drew {len(results)} others, which nobody had seen before.",
        f"{len(results) - len(others)} of them do nothing that the protocol forbids.",
        f"Of the other {len(others)} the check alone found {found}",
        f"({100 * found / len(others):.1f} %), as it was then:",
        f"{', then '.join(map(rate, kept.values()))};",
        f"{spoiled} of the survivors forfeited a game or broke an analysis. These survived:",
        "",
        *table(survivors),
    ]


def main() -> None:
    """Try the sample, print what finds each, and keep the results with --write."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.mutation.by_operator", description=__doc__
    )
    parser.add_argument("--jobs", type=int, default=1, help="mutants at once (default: 1)")
    parser.add_argument("--seed", default=SEED, help="draws another sample, which nobody has seen")
    parser.add_argument("--number", type=int, default=150, help="mutants (default: 150)")
    parser.add_argument("--survivors", action="store_true", help="those that survived last time")
    parser.add_argument("--write", action="store_true", help="keep the results, and write the docs")
    options = parser.parse_args()
    kept = {}
    is_unseen = options.seed != SEED
    if options.survivors:
        known = json.loads(RESULTS.read_text(encoding="utf-8"))
        known = unseen().get(options.seed, []) if is_unseen else known
        kept = {each["name"]: each for each in known}
    drawn = first_of(sample(options.seed), options.number)
    wanted = [(f, m) for f, m in drawn if not kept.get(m.name, {}).get("check")]
    results = []
    with ProcessPoolExecutor(options.jobs) as pool:
        futures = {m.name: pool.submit(find, f, m) for f, m in wanted}
        for files, mutation in drawn:
            if mutation.name in futures:
                found = futures[mutation.name].result()
                told = found["check"] or f"SURVIVES {found['spoils']}"
                print(f"{mutation.name}: {told}", flush=True)
                kept[mutation.name] = {"name": mutation.name, "engine": digest(files), **found}
            results.append(kept[mutation.name])
            if options.write:
                facts = unseen() | {options.seed: results} if is_unseen else results
                text = json.dumps(facts, indent=1, ensure_ascii=False)
                (UNSEEN if is_unseen else RESULTS).write_text(text + "\n", encoding="utf-8")
    if options.write:
        known = json.loads(RESULTS.read_text(encoding="utf-8"))
        write_section(BEGIN, section(known), END)


Drawn = list[tuple[tuple[str, ...], Mutation]]


def first_of(drawn: Drawn, number: int) -> Drawn:
    """Return this many of a sample, of each engine as many as its share."""
    chosen: Drawn = []
    for files, share in NUMBERS.items():
        of_this = [each for each in drawn if each[0] == files]
        chosen += of_this[: round(number * share / sum(NUMBERS.values()))]
    return chosen


if __name__ == "__main__":
    main()
