//! An engine for all four games, Yodd, Xodd, Odd and Ayu: Monte Carlo with UCB1.
//!
//! The standard library only:  rustc -O -o full full.rs && ./full [PLAYOUTS]
//!
//! From the top: the board, turns, the rules, random turns, choosing a turn, the clock, the protocol.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io::{self, BufRead, Write};
use std::time::{Duration, Instant};

/// What stands after the `?` of a reply.
type Failure = String;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Colour {
    Black,
    White,
}

use Colour::{Black, White};

impl Colour {
    const BOTH: [Colour; 2] = [Black, White];

    fn other(self) -> Colour {
        if self == Black { White } else { Black }
    }

    fn letter(self) -> char {
        if self == Black { 'B' } else { 'W' }
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "{self:?}")
    }
}

type Stones = Vec<Option<Colour>>;

// --- The board -----------------------------------------------------------------------------------

/// Cells are numbers, lower rows first, so that their order is that of written drops.
struct Board {
    points: Vec<(i32, i32)>,
    names: Vec<String>,
    cells: HashMap<String, usize>,
    neighbours: Vec<Vec<usize>>,
}

/// The groups of a position: for each cell the number of its group, and the cells of each.
struct Groups {
    labels: Vec<usize>,
    groups: Vec<Vec<usize>>,
}

impl Board {
    fn new(hexhex: bool, size: i32) -> Board {
        let exists = |&(letter, number): &(i32, i32)| {
            let (q, r) = (letter - size, number - size);
            if hexhex {
                q.abs() < size && r.abs() < size && (q + r).abs() < size
            } else {
                (1..=size).contains(&letter) && (1..=size).contains(&number)
            }
        };
        let points: Vec<_> = (1..2 * size)
            .flat_map(|number| (1..2 * size).map(move |letter| (letter, number)))
            .filter(exists)
            .collect();
        let cell_at: HashMap<_, _> = points.iter().enumerate().map(|(c, &p)| (p, c)).collect();
        let steps = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)];
        let steps = &steps[..if hexhex { 6 } else { 4 }];
        let neighbours = points
            .iter()
            .map(|(x, y)| {
                let near = steps.iter().map(|(dx, dy)| (x + dx, y + dy));
                near.filter_map(|point| cell_at.get(&point).copied()).collect()
            })
            .collect();
        let names: Vec<_> = points
            .iter()
            .map(|&(letter, number)| format!("{}{number}", (b'a' + letter as u8 - 1) as char))
            .collect();
        let cells = names.iter().cloned().zip(0..).collect();
        Board { points, names, cells, neighbours }
    }

    /// The cells of the group that a stone belongs to, the stone first.
    fn group_at(&self, stones: &Stones, start: usize) -> Vec<usize> {
        let mut group = vec![start];
        let mut seen = vec![false; stones.len()];
        seen[start] = true;
        let mut next = 0;
        while let Some(&cell) = group.get(next) {
            for &near in &self.neighbours[cell] {
                if stones[near] == stones[start] && !seen[near] {
                    seen[near] = true;
                    group.push(near);
                }
            }
            next += 1;
        }
        group
    }

    fn groups(&self, stones: &Stones) -> Groups {
        let mut labels = vec![usize::MAX; stones.len()];
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for start in 0..stones.len() {
            if stones[start].is_none() || labels[start] != usize::MAX {
                continue;
            }
            let group = self.group_at(stones, start);
            for &cell in &group {
                labels[cell] = groups.len();
            }
            groups.push(group);
        }
        Groups { labels, groups }
    }

    /// Empty points between a unit of Ayu and the closest friendly one, if there is a path.
    fn distance(&self, stones: &Stones, unit: &[usize]) -> Option<u32> {
        let colour = stones[unit[0]];
        let mut seen = vec![false; stones.len()];
        for &cell in unit {
            seen[cell] = true;
        }
        let mut frontier = unit.to_vec();
        let mut empty_points = 0;
        while !frontier.is_empty() {
            let mut reached = Vec::new();
            for &near in frontier.iter().flat_map(|&cell| &self.neighbours[cell]) {
                if seen[near] {
                    continue;
                }
                if stones[near] == colour {
                    return Some(empty_points);
                }
                if stones[near].is_none() {
                    seen[near] = true;
                    reached.push(near);
                }
            }
            frontier = reached;
            empty_points += 1;
        }
        None
    }
}

// --- Turns ---------------------------------------------------------------------------------------

type Drop = (usize, Colour);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Turn {
    Pass,
    Swap,
    /// The lower cell first.
    Drops(Vec<Drop>),
    Move { origin: usize, destination: usize },
}

/// Reads a turn, legal or not. Fails if it is none, or off the board.
fn read_turn(text: &str, board: &Board) -> Result<Turn, Failure> {
    let text = text.to_ascii_lowercase();
    let malformed = || format!("syntax error: malformed turn '{text}'");
    let cell = |name: &str| {
        let outside = || format!("illegal move: {name} is off the board");
        board.cells.get(name).copied().ok_or_else(outside)
    };
    match text.as_str() {
        "pass" => return Ok(Turn::Pass),
        "swap" => return Ok(Turn::Swap),
        _ => {}
    }
    if let Some((origin, destination)) = text.split_once('-') {
        if !is_vertex(origin) || !is_vertex(destination) {
            return Err(malformed());
        }
        return Ok(Turn::Move { origin: cell(origin)?, destination: cell(destination)? });
    }
    let mut drops = Vec::new();
    for drop in text.split(',') {
        let (colour, name) = match drop.chars().next() {
            Some('b') => (Black, &drop[1..]),
            Some('w') => (White, &drop[1..]),
            _ => return Err(malformed()),
        };
        if !is_vertex(name) {
            return Err(malformed());
        }
        drops.push((name, colour));
    }
    let with_cell = |(name, colour)| cell(name).map(|cell| (cell, colour));
    Ok(in_order(drops.into_iter().map(with_cell).collect::<Result<_, _>>()?))
}

fn is_vertex(text: &str) -> bool {
    let bytes = text.as_bytes();
    (2..=3).contains(&bytes.len())
        && bytes[0].is_ascii_lowercase()
        && bytes[1] != b'0'
        && bytes[1..].iter().all(u8::is_ascii_digit)
}

fn in_order(mut drops: Vec<Drop>) -> Turn {
    drops.sort_by_key(|&(cell, _)| cell);
    Turn::Drops(drops)
}

fn written(turn: &Turn, board: &Board) -> String {
    let name = |&cell: &usize| &board.names[cell];
    match turn {
        Turn::Pass => "pass".into(),
        Turn::Swap => "swap".into(),
        Turn::Move { origin, destination } => format!("{}-{}", name(origin), name(destination)),
        Turn::Drops(drops) => {
            let write = |(cell, colour): &Drop| format!("{}{}", colour.letter(), name(cell));
            drops.iter().map(write).collect::<Vec<_>>().join(",")
        }
    }
}

// --- The rules -----------------------------------------------------------------------------------

#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    Yodd,
    Xodd,
    Odd,
    Ayu,
}

const NAMES: [(&str, Name); 4] =
    [("yodd", Name::Yodd), ("xodd", Name::Xodd), ("odd", Name::Odd), ("ayu", Name::Ayu)];

#[derive(Clone, Copy)]
struct Game {
    name: Name,
    size: i32,
    hexhex: bool,
    min_group: usize,
    pie: bool,
}

impl Game {
    fn new(name: Name) -> Game {
        let (size, hexhex) = match name {
            Name::Yodd => (8, true),
            Name::Xodd => (12, false),
            Name::Odd => (5, true),
            Name::Ayu => (11, false),
        };
        Game { name, size, hexhex, min_group: 5, pie: false }
    }

    fn is_size(&self, size: i32) -> bool {
        let largest = if self.hexhex { 13 } else { 19 };
        (2..=largest).contains(&size) && (self.name != Name::Ayu || size % 2 == 1)
    }
}

/// A position without its board, which is borrowed where it is needed: so copies are cheap.
#[derive(Clone)]
struct Position {
    game: Game,
    stones: Stones,
    to_move: Colour,
    turns_played: usize,
    passes: usize,
    /// Ayu: this position was there before.
    is_draw: bool,
}

impl Position {
    fn start(game: Game, board: &Board) -> Position {
        let stone = |&(letter, number): &(i32, i32)| {
            let colour = if number % 2 == 1 { Black } else { White };
            (game.name == Name::Ayu && (letter + number) % 2 == 1).then_some(colour)
        };
        let stones = board.points.iter().map(stone).collect();
        Position { game, stones, to_move: Black, turns_played: 0, passes: 0, is_draw: false }
    }

    fn empty(&self) -> Vec<usize> {
        (0..self.stones.len()).filter(|&cell| self.stones[cell].is_none()).collect()
    }

    /// Groups of Black and of White, of those that the game counts.
    fn counts(&self, board: &Board) -> (usize, usize) {
        let least = if self.game.name == Name::Odd { self.game.min_group } else { 1 };
        let groups = board.groups(&self.stones).groups;
        let of = |colour| {
            let counts = |group: &&Vec<usize>| {
                group.len() >= least && self.stones[group[0]] == Some(colour)
            };
            groups.iter().filter(counts).count()
        };
        (of(Black), of(White))
    }

    fn is_over(&self, board: &Board) -> bool {
        let mut is_over = true;
        self.each_turn(board, &mut |_| {
            is_over = false;
            false
        });
        is_over
    }

    /// The winner of a game that is over; None for a draw.
    fn winner(&self, board: &Board) -> Option<Colour> {
        let black_if = |condition| Some(if condition { Black } else { White });
        let counts = || self.counts(board);
        match self.game.name {
            Name::Ayu => (!self.is_draw).then_some(self.to_move),
            Name::Odd => black_if({ let (black, white) = counts(); (black + white) % 2 == 1 }),
            _ => black_if({ let (black, white) = counts(); black < white }),
        }
    }

    fn score(&self, board: &Board) -> String {
        let Some(winner) = self.winner(board) else { return "0".into() };
        let (black, white) = self.counts(board);
        match self.game.name {
            Name::Yodd | Name::Xodd => format!("{}+{}", winner.letter(), black.abs_diff(white)),
            Name::Odd | Name::Ayu => format!("{}+", winner.letter()),
        }
    }

    /// Changes this position by a legal turn. Draws take the game's past to see.
    fn apply(&mut self, turn: &Turn) {
        self.turns_played += 1;
        match turn {
            Turn::Swap => return,
            Turn::Pass => {}
            Turn::Drops(drops) => {
                for &(cell, colour) in drops {
                    self.stones[cell] = Some(colour);
                }
            }
            &Turn::Move { origin, destination } => {
                self.stones[origin] = None;
                self.stones[destination] = Some(self.to_move);
            }
        }
        self.passes = if *turn == Turn::Pass { self.passes + 1 } else { 0 };
        self.to_move = self.to_move.other();
    }

    fn after(&self, turn: &Turn) -> Position {
        let mut position = self.clone();
        position.apply(turn);
        position
    }

    fn may_swap(&self) -> bool {
        self.game.pie && self.turns_played == 1
    }

    fn takes_one_drop(&self) -> bool {
        self.game.name == Name::Odd || self.turns_played == 0
    }

    /// Fails with the reason if a turn is illegal.
    fn judge(&self, turn: &Turn, board: &Board) -> Result<(), Failure> {
        let illegal = |reason: &str| Err(format!("illegal move: {reason}"));
        if self.is_over(board) {
            return illegal("the game is over");
        }
        match (self.game.name, turn) {
            (Name::Ayu, &Turn::Move { origin, destination }) => {
                match self.problem_with_move(origin, destination, board) {
                    Some(problem) => illegal(problem),
                    None => Ok(()),
                }
            }
            (Name::Ayu, Turn::Swap) if self.may_swap() => Ok(()),
            (Name::Yodd | Name::Xodd, Turn::Pass) => self.judge_drops(&[], board),
            (Name::Yodd | Name::Xodd | Name::Odd, Turn::Drops(drops)) => {
                self.judge_drops(drops, board)
            }
            _ => illegal("no such turn in this game, or not now"),
        }
    }

    fn judge_drops(&self, drops: &[Drop], board: &Board) -> Result<(), Failure> {
        let illegal = |reason: &str| Err(format!("illegal move: {reason}"));
        if drops.len() > 2 || (drops.len() != 1 && self.takes_one_drop()) {
            return illegal("a wrong number of drops");
        }
        if drops.iter().any(|&(cell, _)| self.stones[cell].is_some()) {
            return illegal("an occupied cell");
        }
        if drops.len() == 2 && drops[0].0 == drops[1].0 {
            return illegal("two drops on one cell");
        }
        let (black, white) = self.after(&Turn::Drops(drops.to_vec())).counts(board);
        if self.game.name != Name::Odd && (black + white) % 2 == 0 {
            return illegal("the total number of groups would be even");
        }
        Ok(())
    }

    /// Why a move of Ayu is illegal.
    fn problem_with_move(
        &self,
        origin: usize,
        destination: usize,
        board: &Board,
    ) -> Option<&'static str> {
        if self.stones[origin] != Some(self.to_move) {
            return Some("no piece of yours to move");
        }
        if self.stones[destination].is_some() {
            return Some("an occupied destination");
        }
        let mut unit = board.group_at(&self.stones, origin);
        if !board.neighbours[destination].iter().any(|near| unit.contains(near)) {
            return Some("not a point next to the unit");
        }
        let Some(before) = board.distance(&self.stones, &unit) else {
            return Some("no path to a friendly unit");
        };
        let mut stones = self.stones.clone();
        stones[origin] = None;
        stones[destination] = Some(self.to_move);
        unit[0] = destination;
        let joined = board.group_at(&stones, destination);
        if !unit.iter().all(|cell| joined.contains(cell)) {
            return Some("that would split the group");
        }
        match board.distance(&stones, &unit) {
            Some(after) if after < before => None,
            _ => Some("no closer to the closest friendly unit"),
        }
    }

    /// Where a piece of Ayu may move to.
    fn destinations(&self, origin: usize, board: &Board) -> Vec<usize> {
        if self.stones[origin] != Some(self.to_move) {
            return Vec::new();
        }
        let unit = board.group_at(&self.stones, origin);
        let mut near: Vec<_> = unit.iter().flat_map(|&c| &board.neighbours[c]).copied().collect();
        near.sort_unstable();
        near.dedup();
        near.retain(|&cell| self.problem_with_move(origin, cell, board).is_none());
        near
    }

    /// Shows each legal turn once, until `visit` answers false.
    fn each_turn(&self, board: &Board, visit: &mut dyn FnMut(Turn) -> bool) {
        match self.game.name {
            _ if self.is_draw || self.passes == 2 => {}
            Name::Ayu => self.each_move(board, visit),
            _ => self.each_drops(board, visit),
        }
    }

    fn each_move(&self, board: &Board, visit: &mut dyn FnMut(Turn) -> bool) {
        if self.may_swap() && !visit(Turn::Swap) {
            return;
        }
        for origin in 0..self.stones.len() {
            for destination in self.destinations(origin, board) {
                if !visit(Turn::Move { origin, destination }) {
                    return;
                }
            }
        }
    }

    fn each_drops(&self, board: &Board, visit: &mut dyn FnMut(Turn) -> bool) {
        let is_odd = self.game.name == Name::Odd;
        let Groups { labels, groups } = board.groups(&self.stones);
        if !is_odd && groups.len() % 2 == 1 && !visit(Turn::Pass) {
            return;
        }
        let empty = self.empty();
        for (place, &cell) in empty.iter().enumerate() {
            for first in Colour::BOTH.map(|colour| (cell, colour)) {
                let even = (groups.len() + self.joined(&labels, first, board)) % 2 == 1;
                if (is_odd || !even) && !visit(Turn::Drops(vec![first])) {
                    return;
                }
                if self.takes_one_drop() {
                    continue;
                }
                let next = self.after(&Turn::Drops(vec![first]));
                let labels = board.groups(&next.stones).labels;
                for &cell in &empty[place + 1..] {
                    for second in Colour::BOTH.map(|colour| (cell, colour)) {
                        let changes = next.joined(&labels, second, board) % 2 == 0;
                        if changes == even && !visit(Turn::Drops(vec![first, second])) {
                            return;
                        }
                    }
                }
            }
        }
    }

    /// How many groups a drop joins. It adds one group and takes these away.
    fn joined(&self, labels: &[usize], (cell, colour): Drop, board: &Board) -> usize {
        let near = &board.neighbours[cell];
        let own: UpToSix = near
            .iter()
            .filter(|&&near| self.stones[near] == Some(colour))
            .map(|&near| labels[near])
            .collect();
        own.count
    }
}

/// Counts different numbers among at most six, without the cost of hashing.
#[derive(Default)]
struct UpToSix {
    items: [usize; 6],
    count: usize,
}

impl FromIterator<usize> for UpToSix {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> Self {
        let mut set = UpToSix::default();
        for number in numbers {
            if !set.items[..set.count].contains(&number) {
                set.items[set.count] = number;
                set.count += 1;
            }
        }
        set
    }
}

// --- Random turns --------------------------------------------------------------------------------

/// Numbers by lot that come again with the same seed (SplitMix64).
struct Lot(u64);

impl Lot {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 33) as usize % bound
    }

    fn of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

const TRIES: usize = 20;

/// A legal turn by lot, a pass only if no drop was found; None if the game is over.
fn random_turn(position: &Position, board: &Board, lot: &mut Lot) -> Option<Turn> {
    match position.game.name {
        _ if position.is_draw || position.passes == 2 => None,
        Name::Ayu => random_move(position, board, lot),
        Name::Odd => {
            let empty = position.empty();
            (!empty.is_empty()).then(|| Turn::Drops(vec![random_drop(&empty, lot)]))
        }
        _ => Some(random_drops(position, board, lot)),
    }
}

fn random_drop(empty: &[usize], lot: &mut Lot) -> Drop {
    (lot.of(empty), lot.of(&Colour::BOTH))
}

fn random_drops(position: &Position, board: &Board, lot: &mut Lot) -> Turn {
    let empty = position.empty();
    let Groups { labels, groups } = board.groups(&position.stones);
    let tries = if empty.is_empty() { 0 } else { TRIES };
    for _ in 0..tries {
        let first = random_drop(&empty, lot);
        let even = (groups.len() + position.joined(&labels, first, board)) % 2 == 1;
        if position.takes_one_drop() || (!even && lot.below(2) == 0) {
            return Turn::Drops(vec![first]);
        }
        let next = position.after(&Turn::Drops(vec![first]));
        let labels = board.groups(&next.stones).labels;
        for _ in 0..TRIES {
            let second = random_drop(&empty, lot);
            let changes = next.joined(&labels, second, board) % 2 == 0;
            if second.0 != first.0 && changes == even {
                return in_order(vec![first, second]);
            }
        }
    }
    Turn::Pass
}

/// A move of the first piece that has one, from a random cell on.
fn random_move(position: &Position, board: &Board, lot: &mut Lot) -> Option<Turn> {
    let cells = position.stones.len();
    let start = lot.below(cells);
    for origin in (0..cells).map(|i| (start + i) % cells) {
        let destinations = position.destinations(origin, board);
        if !destinations.is_empty() {
            return Some(Turn::Move { origin, destination: lot.of(&destinations) });
        }
    }
    None
}

// --- Choosing a turn -----------------------------------------------------------------------------

const MOST_CANDIDATES: usize = 64;
const LONGEST_PLAYOUT: usize = 1000;
const EXPLORATION: f64 = 0.5;

struct Candidate {
    turn: Turn,
    after: Position,
    won: f64,
    tried: f64,
}

/// Plays random turns to the end: 1 if the player wins, 0 if not, 0.5 if nobody does.
fn playout(start: &Position, player: Colour, board: &Board, lot: &mut Lot) -> f64 {
    let mut position = start.clone();
    for _ in 0..LONGEST_PLAYOUT {
        match random_turn(&position, board, lot) {
            Some(turn) => position.apply(&turn),
            None => match position.winner(board) {
                Some(winner) => return f64::from(winner == player),
                None => return 0.5,
            },
        }
    }
    0.5
}

/// Different legal turns by lot, a legal pass always among them.
fn draw_candidates(position: &Position, board: &Board, lot: &mut Lot) -> Vec<Candidate> {
    let mut seen = HashSet::new();
    let mut turns = Vec::new();
    let pass = position.judge(&Turn::Pass, board).is_ok().then_some(Turn::Pass);
    let drawn = (0..2 * MOST_CANDIDATES).filter_map(|_| random_turn(position, board, lot));
    for turn in pass.into_iter().chain(drawn) {
        if turns.len() < MOST_CANDIDATES && seen.insert(turn.clone()) {
            turns.push(turn);
        }
    }
    let candidate = |turn: Turn| {
        Candidate { after: position.after(&turn), turn, won: 0.0, tried: 0.0 }
    };
    turns.into_iter().map(candidate).collect()
}

/// The candidate that was tried most, and so seemed best most of the time: each playout goes to the
/// one whose upper confidence bound is highest (UCB1).
fn choose(
    position: &Position,
    board: &Board,
    lot: &mut Lot,
    playouts: u32,
    deadline: Instant,
) -> Turn {
    let mut candidates = draw_candidates(position, board, lot);
    for played in 0..playouts {
        if Instant::now() > deadline {
            break;
        }
        let log = f64::from(played + 1).ln();
        let bound = |candidate: &Candidate| match candidate.tried {
            0.0 => f64::INFINITY,
            tried => candidate.won / tried + EXPLORATION * (log / tried).sqrt(),
        };
        let best = candidates
            .iter_mut()
            .max_by(|a, b| bound(a).total_cmp(&bound(b)))
            .expect("a game that goes on has a turn");
        best.won += playout(&best.after, position.to_move, board, lot);
        best.tried += 1.0;
    }
    let best = candidates.into_iter().max_by(|a, b| a.tried.total_cmp(&b.tried));
    best.expect("a game that goes on has a turn").turn
}

// --- The clock -----------------------------------------------------------------------------------

#[derive(Clone, Copy, PartialEq)]
enum Control {
    None,
    PerTurn,
    PerGame,
    Canadian,
}

/// What the controller said of time; Black's numbers first.
struct Clock {
    control: Control,
    left: [f64; 2],
    turns: [u64; 2],
}

impl Clock {
    fn new(text: &str) -> Result<Clock, Failure> {
        let malformed = || format!("syntax error: malformed time control '{text}'");
        if text == "none" {
            return Ok(Clock { control: Control::None, left: [0.0; 2], turns: [0; 2] });
        }
        let (main, rest) = match text.split_once('+') {
            Some((main, rest)) => (main, Some(rest)),
            None => (text, None),
        };
        let (control, extra) = match rest {
            None => (Control::PerTurn, main),
            Some(rest) => match rest.split_once(['/', 'x']) {
                Some((count, seconds)) => {
                    whole(count).map_err(|_| malformed())?;
                    let canadian = rest.contains('/');
                    (if canadian { Control::Canadian } else { Control::PerGame }, seconds)
                }
                None => (Control::PerGame, rest),
            },
        };
        let (Some(left), Some(_)) = (read_seconds(main), read_seconds(extra)) else {
            return Err(malformed());
        };
        Ok(Clock { control, left: [left; 2], turns: [0; 2] })
    }

    /// How long to think, with something left for the way there and back.
    fn time_for_a_turn(&self, player: Colour) -> Duration {
        let left = 0.8 * self.left[player as usize];
        let seconds = match (self.control, self.turns[player as usize]) {
            (Control::None, _) => 60.0,
            (Control::PerTurn, _) => left,
            (Control::Canadian, turns) if turns > 0 => left / turns as f64,
            _ => left / 30.0,
        };
        Duration::from_secs_f64(seconds.min(1e6))
    }
}

/// Digits, and perhaps a point and more digits.
fn read_seconds(text: &str) -> Option<f64> {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    text.splitn(2, '.').all(is_number).then(|| text.parse().ok()).flatten()
}

// --- The protocol --------------------------------------------------------------------------------

struct Engine {
    board: Board,
    position: Position,
    past: Vec<Position>,
    clock: Clock,
    lot: Lot,
    playouts: u32,
    default_playouts: u32,
}

const COMMANDS: [&str; 21] = [
    "protocol_version", "oddly_version", "name", "version", "known_command", "list_commands",
    "quit", "list_games", "set_game", "boardsize", "clear_board", "play", "genmove", "undo",
    "legal_turns", "group_counts", "final_score", "list_options", "set_option", "time_control",
    "time_left",
];

const SEED: &str = "seed type integer default 0 min 0 max 9223372036854775807";

impl Engine {
    fn new(game: Game, playouts: u32) -> Engine {
        let board = Board::new(game.hexhex, game.size);
        let position = Position::start(game, &board);
        let clock = Clock { control: Control::None, left: [0.0; 2], turns: [0; 2] };
        let (past, lot) = (Vec::new(), Lot(0));
        Engine { board, position, past, clock, lot, playouts, default_playouts: playouts }
    }

    fn begin(&mut self, game: Game) {
        self.board = Board::new(game.hexhex, game.size);
        self.position = Position::start(game, &self.board);
        self.past.clear();
    }

    /// Plays a legal turn, and remembers the position before it.
    fn advance(&mut self, turn: &Turn) {
        let mut next = self.position.after(turn);
        self.past.push(self.position.clone());
        let is_same = |earlier: &Position| {
            earlier.to_move == next.to_move && earlier.stones == next.stones
        };
        next.is_draw = matches!(turn, Turn::Move { .. }) && self.past.iter().any(is_same);
        self.position = next;
    }

    /// The text of the reply to a command.
    fn answer(&mut self, words: &[&str]) -> Result<String, Failure> {
        let done = Ok(String::new());
        match words {
            ["protocol_version"] => Ok("2".into()),
            ["oddly_version" | "version"] => Ok("1".into()),
            ["name"] => Ok("full-rust".into()),
            ["known_command", name] => Ok(COMMANDS.contains(name).to_string()),
            ["list_commands"] => Ok(COMMANDS.join("\n")),
            ["quit"] => done,
            ["list_games"] => Ok(NAMES.map(|(name, _)| name).join("\n")),
            ["set_game", name, settings @ ..] => self.set_game(name, settings),
            ["boardsize", size] => self.set_size(whole(size)?),
            ["clear_board"] => {
                self.begin(self.position.game);
                done
            }
            ["play", colour, turn] => self.play(player(colour)?, turn),
            ["genmove", colour] => self.genmove(player(colour)?),
            ["undo"] => {
                self.position = self.past.pop().ok_or("cannot undo")?;
                done
            }
            ["legal_turns"] => Ok(self.legal_turns(usize::MAX)),
            ["legal_turns", limit] => Ok(self.legal_turns(whole(limit)? as usize)),
            ["group_counts"] => {
                let (black, white) = self.position.counts(&self.board);
                Ok(format!("{black} {white}"))
            }
            ["final_score"] if !self.position.is_over(&self.board) => {
                Err("game is not over".into())
            }
            ["final_score"] => Ok(self.position.score(&self.board)),
            ["list_options"] => Ok(format!(
                "{SEED}\nplayouts type integer default {} min 1 max 1000000000",
                self.default_playouts
            )),
            ["set_option", name, value] => self.set_option(name, whole(value)?),
            ["time_control", control] => {
                self.clock = Clock::new(control)?;
                done
            }
            ["time_left", colour, seconds] => self.time_left(player(colour)?, seconds, 0),
            ["time_left", colour, seconds, turns] => {
                self.time_left(player(colour)?, seconds, whole(turns)?)
            }
            [name, ..] if COMMANDS.contains(name) => {
                Err("syntax error: a wrong number of arguments".into())
            }
            _ => Err("unknown command".into()),
        }
    }

    fn set_game(&mut self, name: &str, settings: &[&str]) -> Result<String, Failure> {
        let found = NAMES.iter().find(|(each, _)| *each == name);
        let mut game = Game::new(found.ok_or_else(|| format!("unknown game '{name}'"))?.1);
        for setting in settings.chunks(2) {
            match (game.name, setting) {
                (_, [_]) => return Err("syntax error: expected pairs of setting and value".into()),
                (Name::Odd, ["board", "hexhex"]) => game.hexhex = true,
                (Name::Odd, ["board", "square"]) => game.hexhex = false,
                (Name::Odd, ["min_group", least]) if threshold(least)? > 0 => {
                    game.min_group = threshold(least)?;
                }
                (Name::Ayu, ["pie", "true"]) => game.pie = true,
                (Name::Ayu, ["pie", "false"]) => game.pie = false,
                _ => return Err(format!("{name} has no setting '{}'", setting.join(" "))),
            }
        }
        self.begin(game);
        Ok(String::new())
    }

    fn set_size(&mut self, size: u64) -> Result<String, Failure> {
        let size = i32::try_from(size).unwrap_or(i32::MAX);
        let game = Game { size, ..self.position.game };
        if !game.is_size(size) {
            return Err("unacceptable size".into());
        }
        self.begin(game);
        Ok(String::new())
    }

    fn play(&mut self, player: Colour, text: &str) -> Result<String, Failure> {
        let turn = read_turn(text, &self.board)?;
        if player != self.position.to_move {
            return Err(format!("illegal move: it is {}'s turn", self.position.to_move));
        }
        self.position.judge(&turn, &self.board)?;
        self.advance(&turn);
        Ok(String::new())
    }

    fn genmove(&mut self, player: Colour) -> Result<String, Failure> {
        let deadline = Instant::now() + self.clock.time_for_a_turn(player);
        if self.position.is_over(&self.board) {
            return Err("the game is over".into());
        }
        if player != self.position.to_move {
            return Err(format!("it is {}'s turn", self.position.to_move));
        }
        let turn = choose(&self.position, &self.board, &mut self.lot, self.playouts, deadline);
        self.advance(&turn);
        Ok(written(&turn, &self.board))
    }

    fn legal_turns(&self, limit: usize) -> String {
        let mut lines = Vec::new();
        self.position.each_turn(&self.board, &mut |turn| {
            if lines.len() < limit {
                lines.push(written(&turn, &self.board));
            }
            lines.len() < limit
        });
        lines.join("\n")
    }

    fn set_option(&mut self, name: &str, value: u64) -> Result<String, Failure> {
        match (name, value) {
            ("seed", 0..=0x7fff_ffff_ffff_ffff) => self.lot = Lot(value),
            ("playouts", 1..=1_000_000_000) => self.playouts = value as u32,
            _ => return Err("no such option, or no such value".into()),
        }
        Ok(String::new())
    }

    fn time_left(&mut self, player: Colour, text: &str, turns: u64) -> Result<String, Failure> {
        let seconds = read_seconds(text);
        self.clock.left[player as usize] =
            seconds.ok_or_else(|| format!("syntax error: '{text}' is not a number of seconds"))?;
        self.clock.turns[player as usize] = turns;
        Ok(String::new())
    }
}

fn player(word: &str) -> Result<Colour, Failure> {
    match word.to_ascii_lowercase().as_str() {
        "b" | "black" => Ok(Black),
        "w" | "white" => Ok(White),
        _ => Err(format!("syntax error: '{word}' is no colour")),
    }
}

/// A number of stones. Beyond the largest board all numbers are the same.
fn threshold(word: &str) -> Result<usize, Failure> {
    let digits = word.trim_start_matches('0');
    Ok(whole(&digits.chars().take(9).collect::<String>())? as usize)
}

fn whole(word: &str) -> Result<u64, Failure> {
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    let number = if is_number { word.parse().ok() } else { None };
    number.ok_or_else(|| format!("syntax error: '{word}' is not a whole number"))
}

/// A line without its comment and control characters.
fn cleaned(line: &[u8]) -> String {
    let text = line.split(|&byte| byte == b'#').next().unwrap_or_default();
    let kept = text.iter().map(|&byte| if byte == b'\t' { b' ' } else { byte });
    let kept: Vec<u8> = kept.filter(|&byte| byte >= b' ' && byte != 127).collect();
    String::from_utf8_lossy(&kept).into_owned()
}

fn main() -> io::Result<()> {
    let playouts = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1000);
    let mut engine = Engine::new(Game::new(Name::Yodd), playouts);
    let mut output = io::stdout().lock();
    let mut input = io::stdin().lock();
    loop {
        let mut line = Vec::new();
        input.read_until(b'\n', &mut line)?;
        if line.pop() != Some(b'\n') {
            break; // the end, which may have cut a line off
        }
        let line = cleaned(&line);
        let mut words: Vec<&str> = line.split(' ').filter(|word| !word.is_empty()).collect();
        if words.is_empty() {
            continue;
        }
        let digits = words[0].bytes().all(|byte| byte.is_ascii_digit());
        let is_id = digits && words[0].parse::<i32>().is_ok();
        let id = if is_id { words.remove(0) } else { "" };
        let (mark, text) = match engine.answer(&words) {
            Ok(text) => ('=', text),
            Err(text) => ('?', text),
        };
        let space = if text.is_empty() { "" } else { " " };
        write!(output, "{mark}{id}{space}{text}\n\n")?;
        output.flush()?;
        if words == ["quit"] {
            break;
        }
    }
    Ok(())
}
