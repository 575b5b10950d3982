"""Random games that an engine follows, compared with our rules at every turn.

One survey finds what many steps ask about. Each difference belongs to one topic, and a game is
judged only up to its first one, so a wrong count is not also a wrong turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from oddly.games import PASS, SWAP, Move, Position, Swap, create_game
from oddly.games.wording import counted
from oddly.protocol import NotationError, Reply, parse_turn
from oddly.referee.check.conversation import Failed, Skipped
from oddly.referee.check.engine_under_test import EngineUnderTest, play_line
from oddly.referee.check.step import step
from oddly.referee.check.variants import (
    AYU_SIZE,
    CORNERS,
    PASSING,
    Playout,
    ayu_game,
    random_game,
    small_variants,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


GAMES_EACH = 8
"""Games on each small board; every second one with passes."""
LISTED_CELLS = 20
"""The most cells of a small board on which all legal turns are compared."""
LISTED_AT = 5
"""Positions of a game at which they are compared."""


class Asked(NamedTuple):
    """A line sent after `before` turns of a game, its topic, and our position there."""

    line: str
    topic: str
    position: Position
    before: int


def lines_of(played: Playout, listed: frozenset[str], *, turns: bool) -> Iterator[Asked]:
    """Yield a game's lines: at each position the questions, then the turn."""
    # Where only a lack of turns ends a game, a wrong end is due to a wrong list.
    is_stuck = played.positions[0].game.turn_kinds <= {Move, Swap}
    every = 1 if is_stuck else max(1, len(played.turns) // LISTED_AT)
    # Without a score, only its turns say whether an engine thinks that a game is over.
    listing = "listing" if "final_score" in listed else "ending"
    for index, position in enumerate(played.positions):
        if "group_counts" in listed:
            yield Asked("group_counts", "counting", position, index)
        if turns and "legal_turns" in listed and (index % every == 0 or position.is_over):
            yield Asked("legal_turns", listing, position, index)
        if "final_score" in listed:
            yield Asked("final_score", "scores" if position.is_over else "ending", position, index)
        if index < len(played.turns):
            yield Asked(play_line(*played.turns[index]), _topic(played, index), position, index)


def _topic(played: Playout, index: int) -> str:
    """Return what a refusal of a turn is about."""
    recent = [turn for _, turn in played.turns[max(0, index - 1) : index + 1]]
    return "swapping" if SWAP in recent else "passing" if PASS in recent else "turns"


async def follow(engine: EngineUnderTest, played: Playout, *, turns: bool = False) -> None:
    """Send a game in one write and compare all replies. Raises Failed at the first difference."""
    for _, failure in await differences(engine, played, turns=turns):
        raise failure


async def differences(
    engine: EngineUnderTest, played: Playout, *, turns: bool = False
) -> list[tuple[str, Failed]]:
    """Return the first difference between an engine's answers and our rules, with its topic."""
    asked = list(lines_of(played, engine.commands, turns=turns))
    try:
        replies = await engine.conversation.ask_all([each.line for each in asked])
    except Failed:
        if not engine.conversation.pipelines:
            raise
        return await _one_by_one(engine, played, asked)
    found = (_difference(each, reply, played) for each, reply in zip(asked, replies, strict=True))
    return [each for each in found if each][:1]


async def _one_by_one(
    engine: EngineUnderTest, played: Playout, asked: list[Asked]
) -> list[tuple[str, Failed]]:
    """Find the line that got no reply. Raises Failed if there is none."""
    await engine.conversation.stop()
    await engine.start()
    await engine.set_up(played.positions[0].game)
    for each in asked:
        try:
            reply = await engine.conversation.ask(each.line)
        except Failed as failure:
            await engine.conversation.stop()
            await engine.start()
            return [("turns" if each.topic == "listing" else each.topic, failure)]
        if found := _difference(each, reply, played):
            return [found]
    raise Failed("lost commands that came in one write", "a reply to each")


def _difference(asked: Asked, reply: Reply, played: Playout) -> tuple[str, Failed] | None:
    """Return the topic and the failure if a reply differs from our rules, else None."""
    position = asked.position
    right, topic = _right(asked, reply)
    if not right:
        return None
    received = f"{'=' if reply.ok else '?'} {reply.text}".rstrip()
    turns = " ".join(str(turn) for _, turn in played.turns[: asked.before])
    failure = Failed(
        f"in {position.game} after {turns or 'no turn'}: {_what(asked, reply)}",
        right,
        f"{asked.line}\n".encode(),
        received.encode(),
    )
    return topic, failure


def _what(asked: Asked, reply: Reply) -> str:
    if asked.line.startswith("play"):
        after = asked.position.play(parse_turn(asked.line.split()[-1]))
        counts = "{} black and {} white".format(*after.group_counts)
        return f"refused the legal turn {asked.line!r}, which leaves {counts}: {reply.text}"
    return f"the answer to {asked.line!r} is not that of our rules"


def _right(asked: Asked, reply: Reply) -> tuple[str, str]:
    """Return the right reply if this one is wrong, else "", and the topic."""
    position, is_over = asked.position, asked.position.is_over
    if asked.line.startswith("play"):
        return ("" if reply.ok else "= for every legal turn"), asked.topic
    if asked.line == "group_counts":
        right = "{} {}".format(*position.group_counts)
        return ("" if reply.ok and reply.text == right else f"= {right}"), "counting"
    if asked.line == "final_score":
        if reply.ok != is_over:
            return (f"= {position.result}" if is_over else "? game is not over"), "ending"
        return (
            "" if not is_over or reply.text == str(position.result) else f"= {position.result}"
        ), "scores"
    return _right_turns(position, reply), asked.topic


def _right_turns(position: Position, reply: Reply) -> str:
    if not reply.ok:
        return "= and the legal turns"
    texts = reply.text.split()
    if texts and position.is_over:
        return "= and nothing, as the game is over"
    try:
        got = [parse_turn(text) for text in texts]
    except NotationError as error:
        return f"turns as in section 3.2: {error}"
    ours = set(position.legal_turns())
    if wrong := set(got) - ours:
        return f"no illegal turn such as {min(map(str, wrong))}"
    if missing := ours - set(got):
        return f"{counted(len(missing), 'turn')} more, {min(map(str, missing))} among them"
    return "every turn once" if len(got) > len(ours) else ""


async def findings(engine: EngineUnderTest) -> dict[str, Failed]:
    """Return the first difference of each topic; the games are played once for all steps."""
    if engine.findings is None:
        engine.findings = {}
        for played, turns in engine.cases(_games(engine)):
            if not await engine.takes(played.positions[0].game):
                continue
            for topic, failure in await differences(engine, played, turns=turns):
                engine.findings.setdefault(topic, failure)
    return engine.findings


def _games(engine: EngineUnderTest) -> Iterator[tuple[Playout, bool]]:
    """Yield games on small boards and the one asked for, and whether to list all turns of each.

    On small boards all settings are played, and in Ayu pieces move away from every corner.
    """
    seed, variants = engine.options.seed, small_variants(engine.game, engine.commands)
    for number in range(GAMES_EACH):
        for game in variants:
            passing = PASSING * (number % 2)
            is_listed = game.name == "ayu" or (number < 2 and len(game.board) <= LISTED_CELLS)
            yield random_game(game, f"{seed} {game} {number}", passing), is_listed
        if not number:
            yield random_game(engine.game, f"{seed} whole"), False
    if create_game("ayu", AYU_SIZE) in variants:
        for text in CORNERS:
            yield ayu_game(text), True


async def expect_none(engine: EngineUnderTest, topic: str) -> None:
    """Raise Failed if the survey found a difference about a topic."""
    if failure := (await findings(engine)).get(topic):
        raise failure


@step("5.4", "counting", "group_counts", share=25)
async def counts(engine: EngineUnderTest) -> None:
    """Connects stones and counts groups as our rules do."""
    await expect_none(engine, "counting")


@step("5.4", "ending", share=10)
async def ends(engine: EngineUnderTest) -> None:
    """Ends games when our rules do, and not before."""
    if not engine.commands & {"final_score", "legal_turns"}:
        raise Skipped("neither final_score nor legal_turns is listed")
    await expect_none(engine, "ending")


@step("5.3", "turns")
async def takes_turns(engine: EngineUnderTest) -> None:
    """Accepts all legal turns of random games."""
    await expect_none(engine, "turns")


@step("5.3", "turns", "legal_turns")
async def lists_turns(engine: EngineUnderTest) -> None:
    """Lists exactly the legal turns of our rules."""
    await expect_none(engine, "listing")


@step("5.4", "scores", "final_score")
async def scores(engine: EngineUnderTest) -> None:
    """Scores the ends of games as our rules do."""
    await expect_none(engine, "scores")


SURVEY_STEPS = (counts, ends, takes_turns, lists_turns, scores)
