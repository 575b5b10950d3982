"""The text beside the board: groups, parity, results, and the levels of engines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.engines.levels import Level, LevelList, levels
from oddly.games import PASS, SWAP, Colour, Ending, Game, Parity
from oddly.interfaces.human_play.game_in_progress import Click, GameInProgress

if TYPE_CHECKING:
    from collections.abc import Sequence


def counts_sentence(current: GameInProgress) -> str:
    """Return the groups on the board and what they mean now.

    For example `3 black + 2 white = 5, odd: you may end the turn`.
    """
    if current.is_over:
        return counts(current)
    return f"{counts(current)}: {_advice(current)}"


def counts(current: GameInProgress) -> str:
    """Return the counts of groups in the words of the game: `3 black + 2 white = 5, odd`."""
    game, (black, white) = current.game, current.partial.group_counts
    if game.parity is Parity.NOTHING:
        words = [game.counted if number == 1 else f"{game.counted}s" for number in (black, white)]
        return f"{black} black {words[0]}, {white} white {words[1]}"
    total = black + white
    parity = "odd" if total % 2 else "even"
    said = game.counted_words(total) if game.counting else str(total)
    return f"{black} black + {white} white = {said}, {parity}"


def total_text(current: GameInProgress) -> str:
    """Return the total and its parity in brief: `5, odd`; empty if they mean nothing."""
    if current.game.parity is Parity.NOTHING:
        return ""
    total = current.partial.group_counts.total
    parity = "odd" if total % 2 else "even"
    if current.game.parity is Parity.WINS and not current.is_over:
        return f"{total}, {parity}: good for {'Black' if total % 2 else 'White'}"
    return f"{total}, {parity}"


def owed(current: GameInProgress) -> str:
    """Return in a few words what the side to move may or must do: `one more drop or an end`.

    Empty after the end.
    """
    if current.is_over:
        return ""
    partial = current.partial
    if partial.origin is not None:
        return f"a place for {partial.origin}"
    more = "one more drop" if partial.drops else "one drop"
    if not partial.drops and current.game.parity is Parity.ENDS_TURNS:
        more = "one drop" if current.position.most_drops == 1 else "1 or 2 drops"
    ways = [more] * bool(partial.continuations)
    ways += ["a move"] * (Click.SELECT in current.clicks.values())
    ways += ["an end"] * partial.can_end + ["a pass"] * current.can_play(PASS)
    ways += ["a swap"] * current.can_play(SWAP)
    if not ways:
        flips = any(partial.flip(vertex).can_end for vertex in partial.tentative)
        ways = ["another colour"] if flips else ["a step back"]
    *first, last = ways
    return f"{', '.join(first)} or {last}" if first else last


def _advice(current: GameInProgress) -> str:
    """Return what the side to move may do now."""
    partial = current.partial
    if partial.origin is not None:
        return f"choose where {partial.origin} goes"
    if not current.has_drops:
        return "choose a piece to move" + (", or swap" if current.can_play(SWAP) else "")
    if current.game.parity is Parity.NOTHING:
        return _plain_advice(current)
    if current.game.parity is Parity.WINS:
        ahead = "Black" if partial.group_counts.total % 2 else "White"
        now = "you may end the turn" if partial.drops else "drop a stone of either colour"
        return f"good for {ahead}; {now}"
    if partial.can_end:
        more = not partial.is_full
        return "you may end the turn" + (", or drop another stone" if more else "")
    if partial.drops:
        return _mending(current)
    if current.position.most_drops == 1:
        return "the first turn is one stone, of either colour"
    return "drop one stone or two, or pass" if current.can_play(PASS) else "drop one stone or two"


def _plain_advice(current: GameInProgress) -> str:
    """Return what may be done in a game where the number of groups means nothing."""
    partial = current.partial
    if partial.can_end:
        more = partial.continuations
        return "you may end the turn" + (", or drop another stone" if more else "")
    if partial.drops:
        return "drop another stone" if partial.continuations else "take a stone back"
    ways = ["drop a stone"] * bool(partial.continuations)
    ways += ["move a piece"] * (Click.SELECT in current.clicks.values())
    ways += ["pass"] * current.can_play(PASS) + ["swap"] * current.can_play(SWAP)
    return ", or ".join(ways)


def _mending(current: GameInProgress) -> str:
    """Return how to complete a turn that may not end yet."""
    partial = current.partial
    if partial.continuations:
        return "drop another stone to make it odd"
    flips = any(partial.flip(vertex).can_end for vertex in partial.tentative)
    return "change the colour of a stone" if flips else "take a stone back"


def lacks_colour(vertex: str) -> str:
    """Return what is wrong with a vertex where a drop is expected, without naming it first."""
    return f"lacks a colour: B{vertex} is a black stone, W{vertex} a white one"


def passed_sentence(current: GameInProgress) -> str:
    """Return what a second pass would mean; empty unless the other side has just passed.

    For example `White has passed. If you pass too, the game ends and Black wins.`
    """
    if current.is_over or not current.position.status.passes:
        return ""
    said = f"{str(current.to_move.other).capitalize()} has passed."
    result = current.position.play(PASS).result if current.position.is_legal(PASS) else None
    if result is None:
        return said
    end = "in a draw" if result.winner is None else f"and {str(result.winner).capitalize()} wins"
    return f"{said} If you pass too, the game ends {end}."


def result_sentence(current: GameInProgress) -> str:
    """Return how the game ended; empty while it goes on."""
    if current.resigned is not None:
        loser = str(current.resigned).capitalize()
        did = "lost on time" if current.on_time else "resigned"
        return f"{str(current.resigned.other).capitalize()} wins: {loser} {did}."
    if current.agreed:
        return "A draw: the players agreed."
    result = current.position.result
    if result is None:
        return ""
    if result.winner is None:
        return f"A draw: {result.ending.value}."
    winner = str(result.winner).capitalize()
    if result.ending is Ending.BOARD_FULL and current.game.parity is Parity.WINS:
        parity = "an odd" if result.winner is Colour.BLACK else "an even"
        return f"{winner} wins: the board is full, with {parity} number of groups that count."
    if result.margin is None:
        return f"{winner} wins: {result.ending.value}."
    groups = "one group" if result.margin == 1 else f"{result.margin} groups"
    return f"{winner} wins by {groups}: {result.ending.value}."


def level_text(level: Level) -> str:
    """Return `Level 3, learner (+340 Elo)`; a level that is not measured has no Elo."""
    strength = f" (+{level.rating} Elo)" if level.rating else ""
    return f"Level {level.number}, {level.name}{strength}"


def what_the_ratings_say(game: Game) -> str:
    """Return on which board the levels were measured, and what that means for others."""
    usual = type(game)()
    board = f"base {usual.size}" if usual.board.shape == "hexhex" else f"{usual.size}x{usual.size}"
    return (
        f"Elo counts from level 1, as measured on {usual.title}'s usual board, {board}; on smaller "
        "boards the levels are closer to each other."
    )


def what_the_list_says(found: LevelList) -> str:
    """Return the board of a list of levels, and the meaning of its numbers."""
    game = found.game
    board = f"base {game.size}" if game.board.shape == "hexhex" else f"{game.size}x{game.size}"
    others = " and ".join(
        f"{name} {found.ratings[name]}" for name in ("greedy", "random") if name in found.ratings
    )
    return (
        f"Our list is of {game.title}, {board}, from {found.games:,} games: Elo with 95 % errors, "
        f"1,000 on average; {others}. On other boards nothing was measured."
    )


def level_table(games: Sequence[Game], engine: str) -> str:
    """Return the levels of an engine, with their Elo in these games."""
    from tabulate import tabulate

    columns = [levels(game) for game in games]
    rows = [
        (
            same[0].number,
            same[0].name,
            *("-" if level.rating is None else f"+{level.rating}" for level in same),
        )
        for same in zip(*columns, strict=True)
    ]
    headers = ("level", "name", *(f"{game.title}, Elo" for game in games))
    notes = (
        "Elo counts from level 1, as measured on the usual boards; on smaller boards the levels\n"
        "are closer to each other."
        if len(games) > 1
        else what_the_ratings_say(games[0])
    )
    align = ("right", "left", *["right"] * len(games))
    table = tabulate(rows, headers, disable_numparse=True, colalign=align)
    return f"The levels of {engine}:\n\n{table}\n\n{notes}"
