"""Which action a simulation tries, by what was found, assumed, or asked of the network.

This is most of what a search does beside its random games, so every loop here is written for the
processor's vector instructions: unsigned indices, which need no check for counting from the end;
choices between two values instead of branches; arrays that the compiler knows do not overlap; and
whole numbers to find the greatest, since floats would be compared one at a time (six times slower).
First all actions are valued as if none had been tried, which takes no square roots, then those that
were.

All-moves-as-first begins with `trust` simulations of each action. The part of them that counts as
won is a half, and `spread` more for each unit that the action's score (`learnt.py`) is above the
average, after Gelly and Silver, "Combining online and offline knowledge in UCT" (ICML 2007). So the
prior says in which order actions are first tried, and fades as they are.

The network (`network.py`) is asked once about a node, which keeps the answer: one look takes as
long as some thirty random games, so only a node with NETWORK_VISITS has one. The network's share of
an action is a bonus, not simulations. An action tried `n` times keeps `1 / (n + 1)` of it. It grows
with the square root of the node's visits, so an action that looked bad is tried again. That is
PUCT, after Silver et al., "Mastering the game of Go without human knowledge", Nature 550 (2017).

The line that a search expects is that of the most visited actions, one after the other.
"""

from __future__ import annotations

import numpy as np

from oddly.engines.kernels.interface import copy_state, play_action, position_hash, side_to_move
from oddly.engines.kernels.jit import compiled, unaliased
from oddly.engines.kernels.learnt import score
from oddly.engines.kernels.network import evaluate
from oddly.engines.kernels.numbers import exchange_if
from oddly.engines.search.settings import (
    EQUIVALENCE,
    EXPLORATION,
    LOST_WINS,
    PUCT,
    SPREAD,
    TRUST,
    WON_WINS,
)
from oddly.engines.search.tree import (
    COUNT,
    CREDIT,
    HEADER,
    LOCKED,
    NODE,
    ROOM,
    ROW,
    TRIED,
    VISITS,
    block_of,
    edge_of,
    edges_of,
    find,
    marks_of,
    policy_of,
    renew,
    show,
)

U = np.uint64
ZERO, ONE, HALF, THREE = np.float32(0), np.float32(1), np.float32(0.5), np.float32(3)

SIGN, MAGNITUDE = np.int32(31), np.int32(0x7FFFFFFF)
PLACE_BITS, PLACES = np.int64(32), np.int64(0xFFFFFFFF)
LEAST_KEY = np.int64(-(1 << 63))
"""For `_place_of_greatest`."""

FIRST_VISIT = np.float32(1e6)
"""The value that plain UCT gives an action that was never tried."""

NETWORK_VISITS = 200


@compiled
def choose(tree, scratch, node, settings):  # type: ignore[no-untyped-def]
    """Return the edge to follow from `node`, its action and how often it was followed before.

    The edge is -1 if there is no room for one. The visit counts at once, so that to other threads
    it looks like a loss.
    """
    row, words = node * ROW, tree.words
    tree.nodes[row + VISITS] += 1
    tree.nodes[row + CREDIT] += 1
    place = _select(tree, scratch, node, settings)
    edge = edge_of(tree, node, place)
    block = block_of(tree, node)
    visits = 0
    if edge >= 0:
        at = edges_of(block, np.int64(words[block + COUNT]), np.int64(words[block + ROOM]))[1]
        visits = np.int64(words[at + edge])
        words[at + edge] += 1
    return edge, np.int64(words[block + HEADER + place]), visits


@compiled
def _select(tree, scratch, node, settings):  # type: ignore[no-untyped-def]
    """Return the place of the action of `node` with the greatest value; the first of several."""
    words, values = tree.words, scratch.values
    block = block_of(tree, node)
    count, room = np.int64(words[block + COUNT]), np.int64(words[block + ROOM])
    tried = min(np.int64(tree.nodes[node * ROW + TRIED]), room)
    wins, visits, _, places = edges_of(block, count, room)
    columns = U(wins), U(visits), U(tried)
    bases, shares = scratch.bases, scratch.shares
    equivalence = settings[EQUIVALENCE]
    if equivalence > 0:
        _value_untried(values, tree.floats, U(marks_of(block, count)), U(count))
        _weigh(words, tree.doubles, bases, shares, columns, equivalence)
    else:
        for place in range(U(count)):
            values[place] = FIRST_VISIT
        _average(words, tree.doubles, bases, shares, columns)
    if settings[EXPLORATION] > 0:
        logarithm = np.log(np.float32(tree.nodes[node * ROW + VISITS] + 1))
        exploration = settings[EXPLORATION] * np.float32(np.sqrt(logarithm))
        _explore(words, bases, columns, exploration, equivalence > 0)
    _place_tried(values, bases, shares, words, U(places), U(tried), U(count))
    if settings[PUCT] > 0:
        policy = policy_of(tree, block)
        if policy >= 0:
            weight = settings[PUCT] * np.sqrt(np.float32(tree.nodes[node * ROW + VISITS]))
            _add_policy(values, tree.floats, U(policy), weight, U(count))
            at = U(places), U(visits), U(tried), U(count)
            _less_policy(values, tree.floats, words, U(policy), weight, at)
    return np.int64(_place_of_greatest(scratch.bits, U(count)))


@unaliased
def _value_untried(values, floats, marks, count):  # type: ignore[no-untyped-def]
    """Write to `values` what all-moves-as-first knows of each action."""
    for place in range(count):
        visits, wins = floats[marks + place], floats[marks + count + place]
        values[place] = (wins + HALF) / (visits + ONE)


@unaliased
def _weigh(words, doubles, bases, shares, columns, equivalence):  # type: ignore[no-untyped-def]
    """Write the parts of the value of each edge: what is fixed, and the share of its marks."""
    wins_at, visits_at, tried = columns
    for edge in range(tried):
        visits = max(ONE, np.float32(words[visits_at + edge]))
        average = np.float32(doubles[wins_at + edge]) / visits
        share = np.sqrt(equivalence / (THREE * visits + equivalence))
        shares[edge] = share
        bases[edge] = (ONE - share) * average


@unaliased
def _average(words, doubles, bases, shares, columns):  # type: ignore[no-untyped-def]
    """Write the parts of the value of each edge without marks: its average."""
    wins_at, visits_at, tried = columns
    for edge in range(tried):
        visits = max(ONE, np.float32(words[visits_at + edge]))
        shares[edge] = ZERO
        bases[edge] = np.float32(doubles[wins_at + edge]) / visits


@unaliased
def _explore(words, bases, columns, exploration, with_marks):  # type: ignore[no-untyped-def]
    """Add the bonus for exploration to the value of each edge.

    With marks, an untried action has no bonus, and each tried one has as much less.
    """
    _, visits_at, tried = columns
    more, less = (ONE, exploration) if with_marks else (ZERO, ZERO)
    for edge in range(tried):
        visits = max(ONE, np.float32(words[visits_at + edge]))
        bases[edge] += exploration / np.sqrt(visits + more) - less


@unaliased
def _place_tried(values, bases, shares, words, places, tried, count):  # type: ignore[no-untyped-def]
    """Weigh the value of each edge's action with what is known of the edge."""
    for edge in range(tried):
        place = U(words[places + edge])
        # Another thread may have counted this edge before it wrote the place.
        if place < count:
            values[place] = bases[edge] + shares[edge] * values[place]


@unaliased
def _add_policy(values, floats, policy, weight, count):  # type: ignore[no-untyped-def]
    """Add the whole bonus of each action, as if it had not been tried."""
    for place in range(count):
        values[place] += weight * floats[policy + place]


@unaliased
def _less_policy(values, floats, words, policy, weight, at):  # type: ignore[no-untyped-def]
    """Take back the part of its bonus that each tried action does not keep."""
    places, visits_at, tried, count = at
    for edge in range(tried):
        place = U(words[places + edge])
        # Another thread may have counted this edge before it wrote the place.
        if place < count:
            visits = np.float32(words[visits_at + edge])
            values[place] -= weight * floats[policy + place] * visits / (visits + ONE)


@compiled
def _place_of_greatest(bits, count):  # type: ignore[no-untyped-def]
    """Return the place of the greatest of `count` floats, given as int32; the first of several.

    Positive floats are in the order of their bits, negative ones in reverse. Each is compared
    together with its place, as one whole number: a processor would compare floats one at a time.
    """
    best = LEAST_KEY
    for place in range(count):
        word = bits[place]
        order = word ^ ((word >> SIGN) & MAGNITUDE)
        best = max(best, (np.int64(order) << PLACE_BITS) - np.int64(place))
    return -best & PLACES


@compiled
def foresee(tree, scratch, state, node, settings):  # type: ignore[no-untyped-def]
    """Start the marks of a new `node`, whose position is `state`, from the prior."""
    scores, floats = scratch.values, tree.floats
    block = block_of(tree, node)
    count = np.int64(tree.words[block + COUNT])
    score(state, scratch.prior, tree.words, block + HEADER, count, scores)
    total = ZERO
    for place in range(count):
        total += scores[place]
    average = total / np.float32(count)
    trust, spread = settings[TRUST], settings[SPREAD]
    marks = marks_of(block, count)
    for place in range(count):
        wins = HALF + spread * (scores[place] - average)
        floats[marks + place] += trust
        floats[marks + count + place] += trust * min(max(wins, ZERO), ONE)


@compiled
def consult(tree, scratch, state, node, settings):  # type: ignore[no-untyped-def]
    """Ask the network about the position of a node that has enough visits, unless that was done."""
    has_network = settings[PUCT] > 0 and len(scratch.network.layers) > 0
    if not has_network or tree.nodes[node * ROW + VISITS] < NETWORK_VISITS:
        return
    block = block_of(tree, node)
    if policy_of(tree, block) < 0:
        actions, count = block + HEADER, np.int64(tree.words[block + COUNT])
        evaluate(state, scratch.network, tree.words, actions, count, scratch.values)
        _keep(tree, node, scratch.values)


@compiled
def _keep(tree, node, shares):  # type: ignore[no-untyped-def]
    """Keep what the network says of a node; nothing if there is no room, or a thread adds to it."""
    owner = np.int64(tree.words[block_of(tree, node) + NODE])
    if owner <= 0 or not exchange_if(tree.nodes, owner * ROW + LOCKED, 0, 1):
        return
    block = block_of(tree, owner)
    if policy_of(tree, block) < 0:
        target = renew(tree, owner, block, np.int64(tree.words[block + ROOM]), True)
        if target >= 0:
            policy = policy_of(tree, target)
            for place in range(np.int64(tree.words[target + COUNT])):
                tree.floats[policy + place] = shares[place]
            show(tree, owner, block, target)
    exchange_if(tree.nodes, owner * ROW + LOCKED, 1, 0)


@compiled
def follow(tree, root, state, line, known):  # type: ignore[no-untyped-def]
    """Play the `known` actions of `line`, and put what is likely to follow them into the rest.

    `line`: int64, shape (actions,); `state` is room for work. Return how many actions there are,
    and how many turns end in them.
    """
    copy_state(state, root)
    turns = 0
    for length in range(len(line)):
        if length >= known:
            node = find(tree, position_hash(state))
            action = _most_visited(tree, node) if node != 0 else -1
            if action < 0:
                return length, turns
            line[length] = action
        side = side_to_move(state)
        play_action(state, line[length])
        turns += side_to_move(state) != side
    return len(line), turns


@compiled
def _most_visited(tree, node):  # type: ignore[no-untyped-def]
    """Return the most visited action of a node, or -1 if none was tried.

    One proven to win comes first, those proven to lose come last, and the earlier of equals first.
    """
    words, block = tree.words, block_of(tree, node)
    count, room = words[block + COUNT], words[block + ROOM]
    wins, visits, ahead, places = edges_of(block, count, room)
    best, first = (False, False, 0, 0.0, 0, 0), -1
    for edge in range(min(tree.nodes[node * ROW + TRIED], room)):
        won, tried = tree.doubles[wins + edge], words[visits + edge]
        is_won = won >= WON_WINS / 2
        if tried < 1 and not is_won:
            continue
        place = words[places + edge]
        key = (is_won, won > LOST_WINS / 2, tried, won, words[ahead + edge], -place)
        if first < 0 or key > best:
            best, first = key, words[block + HEADER + place]
    return first
