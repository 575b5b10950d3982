"""What `oddly bot status` says: the games of a bot, from its outbox, while it runs or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tabulate import tabulate

from oddly.games import one_line
from oddly.interfaces.bot.outbox import TurnStage, TurnTask

if TYPE_CHECKING:
    from oddly.interfaces.bot.outbox_file import OutboxFile

CONTACTS = {
    "webhook": "the site's last message",
    "site": "the site's last answer",
    "sweep": "the last sweep",
}
SHOWN = 60
"""Characters of the site's words in a table."""


def bot_status(file: OutboxFile, now: float) -> dict[str, Any]:
    """Return the facts at a Unix second, as JSON has them. Raises sqlite3.Error.

    `games` are those that the site listed last, and those with a turn that it has not got.
    """
    tasks = file.tasks()
    games = []
    for gameid, meta, plies, ours, opponents in file.games():
        task = tasks.pop(gameid, None)
        if task is not None and task.request.plies < plies - 1:
            task = None
        games.append(_game(gameid, meta, plies, opponents, task, now, ours=ours))
    for gameid, task in tasks.items():
        if task.is_open or task.stage in (TurnStage.REFUSED, TurnStage.FAILED):
            request = task.request
            games.append(_game(gameid, request.meta, request.plies, "", task, now, ours=True))
    contacts = file.contacts()
    stages = [game["outbox"] for game in games]
    return {
        "contacts": {what: contacts.get(what) for what in CONTACTS},
        "games": games,
        "to_think": stages.count(TurnStage.ASKED.value),
        "unsent": stages.count(TurnStage.DECIDED.value) + stages.count(TurnStage.SENDING.value),
    }


def _game(
    gameid: str,
    meta: str,
    plies: int,
    opponents: str,
    task: TurnTask | None,
    now: float,
    *,
    ours: bool,
) -> dict[str, Any]:
    if task is not None:
        # The outbox is newer than the list.
        done = task.stage in (TurnStage.TAKEN, TurnStage.CLOSED)
        ours = task.request.plies >= plies if not done else ours and task.request.plies < plies
        plies = max(plies, task.request.plies + (task.stage is TurnStage.TAKEN))
    deadline = task.deadline if task is not None and ours else None
    return {
        "id": gameid,
        "game": meta,
        "opponent": opponents,
        "plies": plies,
        "turn": "ours" if ours else "theirs",
        "seconds_left": None if deadline is None else round(deadline - now),
        "outbox": task.stage.value if task is not None else None,
        "move": (task.move or None) if task is not None else None,
        "attempts": task.attempts if task is not None else 0,
        "said": (task.said or None) if task is not None else None,
    }


def status_text(facts: dict[str, Any], now: float) -> str:
    """Return the facts for people."""
    rows = [
        (
            one_line(game["id"]), one_line(game["game"]), one_line(game["opponent"]),
            game["plies"], game["turn"],
            "" if game["seconds_left"] is None else duration(game["seconds_left"]),
            game["outbox"] or "", game["move"] or "", one_line((game["said"] or "")[:SHOWN]),
        )
        for game in facts["games"]
    ]  # fmt: skip
    headers = ("id", "game", "opponent", "plies", "turn", "left", "outbox", "move", "last words")
    table = tabulate(rows, headers, disable_numparse=True) if rows else "no games"
    contacts = [
        f"{what}: {'never' if facts['contacts'][key] is None else _ago(now, facts, key)}"
        for key, what in CONTACTS.items()
    ]
    counts = f"{facts['to_think']} turns to think about, {facts['unsent']} not yet taken"
    return "\n".join([table, "", counts, *contacts])


def _ago(now: float, facts: dict[str, Any], key: str) -> str:
    return f"{duration(max(now - facts['contacts'][key], 0))} ago"


def duration(seconds: float) -> str:
    """Return a duration in two units at most: `2 d 3 h`, `5 min`, `-1 h`."""
    left, parts = abs(round(seconds)), []
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s")):
        if left >= size:
            parts.append(f"{left // size} {unit}")
            left %= size
    return ("-" if seconds <= -0.5 else "") + " ".join(parts[:2] or ["0 s"])
