//! A first engine: Odd on hexhex boards, random turns.
//!
//! The standard library only:  rustc -O -o tiny tiny.rs

use std::collections::HashMap;
use std::io::{self, BufRead, Write};

const COMMANDS: [&str; 8] =
    ["name", "version", "list_commands", "quit", "boardsize", "clear_board", "play", "genmove"];

struct Engine {
    size: i32,
    /// `B` or `W` by cell, as in `c3`.
    stones: HashMap<String, char>,
    random: u64,
}

impl Engine {
    /// The empty cells of the hexhex board.
    fn empty(&self) -> Vec<String> {
        let inside = 1 - self.size..self.size;
        inside
            .clone()
            .flat_map(|q| inside.clone().map(move |r| (q, r)))
            .filter(|(q, r)| (q + r).abs() < self.size)
            .map(|(q, r)| format!("{}{}", (b'a' + (q + self.size - 1) as u8) as char, r + self.size))
            .filter(|cell| !self.stones.contains_key(cell))
            .collect()
    }

    /// Every turn is one drop, so their number says whose turn it is.
    fn is_to_move(&self, colour: &str) -> Result<bool, String> {
        let index = match colour.to_ascii_lowercase().as_str() {
            "b" | "black" => 0,
            "w" | "white" => 1,
            _ => return Err(format!("syntax error: '{colour}' is no colour")),
        };
        Ok(self.stones.len() % 2 == index)
    }

    /// A number below `bound` (xorshift64*).
    fn random_below(&mut self, bound: usize) -> usize {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        (self.random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }

    fn set_size(&mut self, text: &str) -> Result<String, String> {
        let size = text.parse().map_err(|_| "syntax error: a size is a whole number")?;
        if !(2..=13).contains(&size) {
            return Err("unacceptable size".into());
        }
        self.size = size;
        self.stones.clear();
        Ok(String::new())
    }

    fn play(&mut self, colour: &str, text: &str) -> Result<String, String> {
        let turn = text.to_ascii_lowercase();
        let is_to_move = self.is_to_move(colour)?;
        if !is_turn(&turn) {
            return Err(format!("syntax error: '{text}' is not a turn"));
        }
        if !is_to_move {
            return Err("illegal move: it is the other player's turn".into());
        }
        let (stone, cell) = turn.split_at(1);
        if !self.empty().iter().any(|empty| empty == cell) {
            return Err("illegal move: expected one drop on an empty cell".into());
        }
        self.stones.insert(cell.into(), if stone == "b" { 'B' } else { 'W' });
        Ok(String::new())
    }

    fn genmove(&mut self, colour: &str) -> Result<String, String> {
        let is_to_move = self.is_to_move(colour)?;
        let mut empty = self.empty();
        if empty.is_empty() {
            return Err("the game is over".into());
        }
        if !is_to_move {
            return Err("it is the other player's turn".into());
        }
        let cell = empty.swap_remove(self.random_below(empty.len()));
        let stone = ['B', 'W'][self.random_below(2)];
        let turn = format!("{stone}{cell}");
        self.stones.insert(cell, stone);
        Ok(turn)
    }

    /// The text of the reply to a command, or of the failure.
    fn answer(&mut self, words: &[&str]) -> Result<String, String> {
        match words {
            ["name"] => Ok("tiny-rust".into()),
            ["version"] => Ok("1".into()),
            ["list_commands"] => Ok(COMMANDS.join("\n")),
            ["quit"] => Ok(String::new()),
            ["boardsize", size] => self.set_size(size),
            ["clear_board"] => self.set_size(&self.size.to_string()),
            ["play", colour, turn] => self.play(colour, turn),
            ["genmove", colour] => self.genmove(colour),
            [name, ..] if COMMANDS.contains(name) => {
                Err("syntax error: a wrong number of arguments".into())
            }
            _ => Err("unknown command".into()),
        }
    }
}

/// Whether this is a turn of any of the games. Those of the others are illegal, not malformed.
fn is_turn(text: &str) -> bool {
    let is_drop = |drop: &str| {
        drop.strip_prefix(['b', 'w']).is_some_and(is_vertex)
    };
    let is_move = || text.split_once('-').is_some_and(|(a, b)| is_vertex(a) && is_vertex(b));
    text == "pass" || text == "swap" || is_move() || text.split(',').all(is_drop)
}

fn is_vertex(text: &str) -> bool {
    let bytes = text.as_bytes();
    (2..=3).contains(&bytes.len())
        && bytes[0].is_ascii_lowercase()
        && bytes[1] != b'0'
        && bytes[1..].iter().all(u8::is_ascii_digit)
}

/// A line without its comment and control characters.
fn cleaned(line: &[u8]) -> String {
    let text = line.split(|&byte| byte == b'#').next().unwrap_or_default();
    let kept = text.iter().map(|&byte| if byte == b'\t' { b' ' } else { byte });
    let kept: Vec<u8> = kept.filter(|&byte| byte >= b' ' && byte != 127).collect();
    String::from_utf8_lossy(&kept).into_owned()
}

fn main() -> io::Result<()> {
    let mut engine = Engine { size: 5, stones: HashMap::new(), random: 2011 };
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
        match engine.answer(&words) {
            Ok(text) if text.is_empty() => write!(output, "={id}\n\n")?,
            Ok(text) => write!(output, "={id} {text}\n\n")?,
            Err(text) => write!(output, "?{id} {text}\n\n")?,
        }
        output.flush()?;
        if words == ["quit"] {
            break;
        }
    }
    Ok(())
}
