"""Steps about what each command leaves unchanged, and what each new beginning forgets.

A session is sent twice: with the commands in question and without them. Whatever the engine says
before and after must be the same both times: its position, what it can take back, passes in a row,
an open swap, positions that have occurred. So errors in its rules do not matter here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from oddly.games import PASS, SWAP, DropPosition, Game, Position, create_game
from oddly.referee.check.conversation import Failed
from oddly.referee.check.engine_under_test import LARGEST_LISTED, EngineUnderTest, play_line
from oddly.referee.check.replies import spelt_alike
from oddly.referee.check.step import COMMANDS, Step, step
from oddly.referee.check.variants import (
    REPETITIONS,
    Playout,
    ayu_game,
    played_out,
    random_game,
    setup_line,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oddly.protocol import Reply


@dataclass(frozen=True, slots=True)
class ToldReply:
    """Whether a command was answered, and the words of the answer, sorted and spelt alike."""

    ok: bool
    words: list[str]
    text: str = field(compare=False)


QUICK = "0.2"
"""The time per turn here, in seconds."""


class State(NamedTuple):
    """A state of a game: the lines that lead to it from the start, and those that go on."""

    name: str
    game: Game
    lines: tuple[str, ...]
    position: Position
    depth: int
    """How many turns can be taken back."""
    rest: tuple[str, ...]


def states(engine: EngineUnderTest) -> Iterator[State]:
    """Yield the states that the protocol tells apart, reached by turns and if possible `setup`."""
    for state in _played_states(engine):
        yield state
        line = setup_line(state.position)
        if "setup" in engine.commands and line and state.lines and not state.position.is_over:
            yield state._replace(name=f"{state.name}, set up", lines=(line,), depth=0)


def _played_states(engine: EngineUnderTest) -> Iterator[State]:
    game, seed = engine.small, f"{engine.options.seed} states"
    played = random_game(game, seed)
    yield _state("at the start", played, 0, 3)
    yield _state("in a game", played, min(3, len(played.turns) - 1), 3)
    if "undo" in engine.commands and len(played.turns) > 4:
        before = _state("after undo", played, 3, 2)
        yield before._replace(lines=(*before.lines, before.rest[0], "undo"))
    yield _state("at the end of a game", played, len(played.turns), 0)
    if played.positions[1].is_legal(PASS):
        passed = played_out(game.start(), [played.turns[0][1], PASS, PASS])
        yield _state("after a pass", passed, 2, 1)
    if game.name == "ayu":
        repeated = ayu_game(REPETITIONS[0])
        last = len(repeated.turns)
        keys = [position.key for position in repeated.positions]
        yield _state("before a position occurs again", repeated, last - 1, 1)
        index = keys.index(keys[-1])
        yield _state("at a position that occurs again", repeated, index, last - index)
    if "pie" in game.settings and "set_game" in engine.commands:
        pie = create_game(game.name, game.size, {"pie": True})
        opening = random_game(pie, seed).turns[0][1]
        swapped = played_out(pie.start(), [opening, SWAP])
        yield _state("where a swap is open", swapped, 1, 1)
        yield _state("after a swap", swapped, 2, 0)


def in_a_game(engine: EngineUnderTest) -> State:
    """Return the state after three turns of a random game."""
    return next(state for state in _played_states(engine) if state.name == "in a game")


def _state(name: str, played: Playout, number: int, further: int) -> State:
    """Return the state after `number` turns of a game, with `further` to follow."""
    lines = [play_line(*each) for each in played.turns]
    rest = tuple(lines[number : number + further])
    game = played.positions[0].game
    return State(name, game, tuple(lines[:number]), played.positions[number], number, rest)


class SentLines(NamedTuple):
    """Lines in one write; those from `begin` to `end` are the ones in question."""

    lines: list[str]
    begin: int
    end: int


def session(engine: EngineUnderTest, state: State, between: Sequence[str]) -> SentLines:
    """Return the lines that reach a state, send `between`, and look at all that is remembered."""
    before = [*engine.setting_up(state.game, QUICK), *state.lines]
    report = [line for line in ("group_counts", "final_score") if line in engine.commands]
    turns = ["legal_turns"] if _lists_all(engine, state.game) else []
    going_on = [line for turn in state.rest for line in (turn, *report)]
    after = [*report, *turns, *going_on, *turns]
    if "undo" in engine.commands:
        back = ["undo"] * len(state.rest)
        after += [*back, *report, *["undo"] * state.depth, *report, "undo"]
        # And once more: what has been taken back must not count.
        again = [line for line in state.lines if line.startswith("play")][: state.depth]
        after += [*again, *going_on] if len(again) == state.depth else []
    return SentLines([*before, *between, *after], len(before), len(before) + len(between))


def _lists_all(engine: EngineUnderTest, game: Game) -> bool:
    return "legal_turns" in engine.commands and len(game.board) <= LARGEST_LISTED


async def told(engine: EngineUnderTest, session: SentLines) -> tuple[list[Reply], list[ToldReply]]:
    """Return all replies to a session, and what must be the same with and without `between`."""
    if not engine.commands & {"set_game", "boardsize", "clear_board"}:
        await engine.conversation.restart()
    replies = await engine.conversation.ask_all(session.lines)
    kept = [*replies[: session.begin], *replies[session.end :]]
    return replies, [_told(reply) for reply in kept]


def _told(reply: Reply) -> ToldReply:
    words = sorted(map(spelt_alike, reply.text.split())) if reply.ok else []
    return ToldReply(reply.ok, words, reply.text)


async def disturbances(engine: EngineUnderTest) -> dict[str, Failed]:
    """Return the failure of each command that changes what it must not."""
    if engine.disturbing is None:
        engine.disturbing = {}
        # First one line of each command, where much can change.
        every = list(states(engine))
        brief = [(state, True) for state in every if state.name == "in a game"]
        for state, is_brief in engine.cases([*brief, *((state, False) for state in every)]):
            await _disturbed_in(engine, state, engine.disturbing, is_brief=is_brief)
    return engine.disturbing


async def _disturbed_in(
    engine: EngineUnderTest, state: State, found: dict[str, Failed], *, is_brief: bool
) -> None:
    """Send all commands at once, and each by itself only if that changes anything."""
    most = 1 if is_brief else None
    lines = {
        name: lines_of_command(engine, state, name)[:most]
        for name in COMMANDS
        if name in engine.commands
    }
    try:
        if not await _is_played(engine, state):
            return
        plain = await _undisturbed(engine, state)
        every = [line for each in lines.values() for line in each]
        if await _change(engine, state, plain, dict(every)) is None:
            return
    except Failed:
        await engine.conversation.stop()
        await engine.start()
    for name, each in lines.items():
        for line, refused in each:
            if name not in found and (problem := await _problem(engine, state, line, refused)):
                found[name] = problem


async def _is_played(engine: EngineUnderTest, state: State) -> bool:
    """Return whether the engine plays the game of a state, which may have other settings."""
    return state.game == engine.small or await engine.takes(state.game, QUICK)


async def _problem(
    engine: EngineUnderTest, state: State, line: str, refused: bool
) -> Failed | None:
    """Return the failure if a line that must change nothing does, else None."""
    try:
        plain = await _undisturbed(engine, state)
        return await _change(engine, state, plain, {line: refused})
    except Failed as failed:
        await engine.conversation.stop()
        await engine.start()
        return failed


async def _undisturbed(engine: EngineUnderTest, state: State) -> list[ToldReply]:
    return (await told(engine, session(engine, state, ())))[1]


async def _change(
    engine: EngineUnderTest, state: State, plain: list[ToldReply], lines: dict[str, bool]
) -> Failed | None:
    """Return the failure if lines change anything, else None. Those marked True must be refused."""
    asked = session(engine, state, list(lines))
    replies, kept = await told(engine, asked)
    for (line, refused), reply in zip(lines.items(), replies[asked.begin : asked.end], strict=True):
        if refused and reply.ok:
            return engine.failure(f"accepted {line!r} {state.name}", "a failure, '? ...'")
    if kept == plain:
        return None
    index = next(i for i, (old, new) in enumerate(zip(plain, kept, strict=True)) if old != new)
    later = [*asked.lines[: asked.begin], *asked.lines[asked.end :]][index]
    reply = [*replies[: asked.begin], *replies[asked.end :]][index]
    mark = "=" if reply.ok else "?"
    return Failed(
        f"{state.name}, {' and '.join(map(repr, lines))} changed a later answer to {later!r}",
        f"the answer as without it: {_shown(plain[index])}",
        "".join(f"{line}\n" for line in (*state.lines, *lines, later)).encode(),
        f"{mark} {reply.text}".encode(),
    )


def _shown(kept: ToldReply) -> str:
    return " ".join(["=", *sorted(kept.text.split())[:8]]) if kept.ok else "? ..."


@step("2.4", "keeping input", share=4)
async def keeps_input(engine: EngineUnderTest) -> None:
    """Loses nothing that comes in one write after any of its commands."""
    state = next(_played_states(engine))
    mover, setting_up = state.position.to_move, engine.setting_up(state.game, QUICK)
    lines = [f"genmove {mover}", "last_evaluation", *setting_up, *state.rest[:1], "undo"]
    for name, form in COMMANDS.items():
        lines += [line for line, _ in lines_of_command(engine, state, name)[: len(form.harmless)]]
    for line in engine.cases(filter(engine.lists, lines), 4):
        await engine.set_up(state.game, QUICK)
        try:
            await engine.conversation.ask_all([line, "name", "no_such_command"])
        except Failed as failed:
            failed.problem = f"behind {line!r}: {failed.problem}"
            if await _answers(engine, state, line):
                raise


async def _answers(engine: EngineUnderTest, state: State, line: str) -> bool:
    """Return whether a fresh process answers a line that comes in a write of its own."""
    conversation = engine.conversation
    await conversation.stop()
    await engine.start()
    pipelines, conversation.pipelines = conversation.pipelines, False
    try:
        await engine.set_up(state.game, QUICK)
        await conversation.ask_all([line, "name"])
    except Failed:
        await conversation.stop()
        await engine.start()
        return False
    finally:
        conversation.pipelines = pipelines
    return True


TIMES = ("time_control", "time_settings", "time_left", "opponent")
SEARCHES = ("reg_genmove", "analyze", "ponder", "solve", "evaluate")


def lines_apart_from_time(engine: EngineUnderTest) -> list[str]:
    """Return lines at the start of a game that set no clock and search nothing."""
    state = next(_played_states(engine))
    names = [name for name in COMMANDS if name not in (*TIMES, *SEARCHES)]
    lines = [line for line in engine.setting_up(state.game) if not line.startswith(TIMES)]
    lines += [line for name in names for line, _ in lines_of_command(engine, state, name)]
    return list(filter(engine.lists, lines))


def lines_of_command(engine: EngineUnderTest, state: State, name: str) -> list[tuple[str, bool]]:
    """Return the lines of a command that change nothing, and whether each must be refused."""
    form, position = COMMANDS[name], state.position
    if name == "quit":
        return []
    legal = next(iter(position.legal_turns()), PASS) if not position.is_over else PASS
    words = {
        "MOVER": str(position.to_move),
        "OTHER": str(position.to_move.other),
        "LEGAL": str(legal),
        "GAME": state.game.name,
        "DROP": _drop(position),
    }
    found = []
    for arguments, refused in (
        *((each, False) for each in (*form.harmless, *form.wrong)),
        *((each, True) for each in form.refused),
    ):
        for option in engine.defaults if "OPTION" in arguments else ("",):
            line = f"{name} {arguments}".replace("OPTION", option)
            for word, value in words.items():
                line = line.replace(word, value)
            found.append((line.rstrip(), refused))
    return found


def _drop(position: Position) -> str:
    if position.is_over:
        return ""
    return str(next(iter(DropPosition(position).actions())))


BEGINNINGS = ("set_game", "boardsize", "clear_board", "setup")


async def _begins_anew(engine: EngineUnderTest, name: str) -> None:
    """Begin a game in every state and play on. Raises Failed if a new engine answers otherwise."""
    for state in engine.cases(states(engine)):
        begun = _beginning(engine, state, name)
        if not begun or not await _is_played(engine, state):
            continue
        start = engine.setting_up(state.game, QUICK)
        fresh = SentLines([*start, *begun], 0, len(start))
        before = [*start, *state.lines, *state.rest]
        later = SentLines([*before, *begun], 0, len(before))
        plain = (await told(engine, fresh))[1]
        replies, kept = await told(engine, later)
        sent = "".join(f"{line}\n" for line in (*state.lines, *state.rest, *begun[:2])).encode()
        first = replies[len(before)]
        if not first.ok:
            raise Failed(f"refused {begun[0]!r} {state.name}", "=", sent, first.text.encode())
        if begun[1:2] == ["undo"] and replies[len(before) + 1].ok:
            raise Failed(
                f"took a turn back behind {begun[0]!r} {state.name}", "? cannot undo", sent, b"="
            )
        if kept != plain:
            index = next(i for i in range(len(kept)) if kept[i] != plain[i])
            raise Failed(
                f"{state.name}, {begun[0]!r} did not forget the past: a different answer to "
                f"{begun[index]!r} after {' '.join(begun[1:index])!r}",
                f"the answer as in a new game: {_shown(plain[index])}",
                sent,
                replies[len(before) + index].text.encode(),
            )


def _beginning(engine: EngineUnderTest, state: State, name: str) -> list[str]:
    """Return the lines that begin a game anew with a command, play it, and look at it."""
    setting, *sized = [
        line for line in engine.setting_up(state.game, QUICK) if line.startswith(BEGINNINGS[:2])
    ] or [""]
    line, played = name, [*state.lines, *state.rest]
    if name == "setup":
        line = "" if state.position.is_over else setup_line(state.position)
        played = list(state.rest)
    elif any(each.startswith("setup") for each in played):
        return []
    elif name != "clear_board":
        own = [each for each in (setting, *sized) if each.startswith(name)]
        line = own[0]
    if not line:
        return []
    report = [each for each in ("group_counts", "final_score") if each in engine.commands]
    turns = ["legal_turns"] if _lists_all(engine, state.game) else []
    back = ["undo"] if "undo" in engine.commands else []
    size = sized if name == "set_game" else []
    return [line, *back, *size, *report, *(x for turn in played for x in (turn, *report)), *turns]


def _named(name: str, template: str, section: str, *, anew: bool) -> Step:
    async def judges(engine: EngineUnderTest) -> None:
        if anew:
            await _begins_anew(engine, name)
        elif failure := (await disturbances(engine)).get(name):
            raise failure

    topic = "beginning anew" if anew else "changing nothing"
    should = name in ("play", "genmove", "reg_genmove") and not anew
    share = 5 if anew else 30 if name == FIRST else 1
    return Step(template.format(name), section, topic, judges, (name,), should, share)


INPUT_STEPS = (keeps_input,)
FIRST = "name"
"""The command whose step comes first and tries all commands: every engine lists it."""
UNCHANGED = "{} changes nothing in any state of a game, answered or refused"
REFUSED = "{} changes nothing in any state of a game when it is refused"
ANEW = "{} begins anew in every state: position, undo, passes, repetition"
STATE_STEPS = (
    *(
        _named(name, UNCHANGED if form.harmless else REFUSED, form.section, anew=False)
        for name, form in sorted(COMMANDS.items(), key=lambda each: each[0] != FIRST)
        if name != "quit"
    ),
    *(_named(name, ANEW, "5.2", anew=True) for name in BEGINNINGS),
)
