"""The first turns of games, as openings for others."""

from __future__ import annotations

from oddly.game_records.kept_game import KeptGame, colour_at_the_end, game_without_outcome
from oddly.protocol.notation import parse_turn


def shortened(kept: KeptGame, most: int) -> KeptGame:
    """Return the first `most` turns of a game, without a result unless it was over by then."""
    record = kept.record
    if len(record.turns) <= most:
        return kept
    turns = record.turns[:most]
    position = record.game.start()
    for played in turns:
        position = position.play(parse_turn(played.turn))
    names = {colour_at_the_end(turns, player): record.players[player] for player in (0, 1)}
    return game_without_outcome(record.game, position, turns, names)
