"""An engine that misbehaves on request, run as a process: `python engine.py --fault crash --at 3`.

It is written without our protocol package, as a stranger would write it, and plays the first
legal turn of whatever it is asked. `--at` counts its own genmoves from 1.
"""

from __future__ import annotations

import argparse
import gc
import os
import signal
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
# Hundreds are started, and none lives long: looking for garbage is a sixth of their work.
gc.disable()

from oddly.games.catalogue import create_game, read_setting
from oddly.games.turns import PASS, SWAP, Colour, Drop, Drops, Move

REQUIRED = "name version list_commands play genmove quit".split()
COMMANDS = [*REQUIRED, "set_game", "boardsize", "clear_board"]


def write(text: str) -> None:
    os.write(1, text.encode("latin-1"))


def reply(identity: str, text: str = "", mark: str = "=") -> None:
    write(f"{mark}{identity} {text}\n\n")


def read_turn(text: str):
    if text in ("pass", "swap"):
        return {"pass": PASS, "swap": SWAP}[text]
    if "-" in text:
        return Move(*text.split("-"))
    colours = {"B": Colour.BLACK, "W": Colour.WHITE}
    return Drops(tuple(Drop(colours[drop[0]], drop[1:]) for drop in text.split(",")))


class Fake:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.genmoves = 0
        self.commands = REQUIRED if options.only else COMMANDS
        game, size = options.only or ("yodd", None)
        self.game = create_game(game, size and int(size))
        self.position = self.game.start()

    def genmove(self, identity: str) -> None:
        self.genmoves += 1
        wanted = self.options.fault and self.genmoves == self.options.at
        if wanted and self.misbehave(identity):
            return
        turns = list(islice(self.position.legal_turns(), 1 + self.options.nth))
        turn = turns[-1]
        if self.options.swap and SWAP in turns:
            turn = SWAP
        self.position = self.position.play(turn)
        reply(identity, str(turn))
        if wanted and self.options.fault == "twice":
            reply(identity, str(turn))

    def misbehave(self, identity: str) -> bool:
        """Whether the genmove has been dealt with."""
        match self.options.fault:
            case "crash":
                sys.stderr.write("fake: about to crash\n")
                sys.stderr.flush()
                os._exit(3)
            case "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            case "hang":
                time.sleep(3600)
            case "sleep":
                time.sleep(self.options.seconds)
                return False
            case "garbage":
                write("segmentation fault\n\n")
            case "binary":
                os.write(1, b"\x00\xff\x1b[2J\n\n")
            case "flood":
                while True:
                    write("= " + "x" * 60000 + "\n")
            case "long-line":
                while True:
                    write("x" * 60000)
            case "trickle":
                while True:
                    write("=")
                    time.sleep(0.01)
            case "wrong-id":
                reply("999", "pass")
            case "no-id":
                reply("", "pass")
            case "refuse":
                reply(identity, "cannot do that", "?")
            case "illegal":
                reply(identity, "Bz99")
            case "malformed":
                reply(identity, "knight to f3")
            case "empty":
                reply(identity, "")
            case "resign":
                reply(identity, "resign")
            case "close":
                os.close(1)
                time.sleep(3600)
            case "stderr":
                for _ in range(200):
                    os.write(2, b"e" * 10000)
                return False
            case "refuse-play" | "ignore-quit" | "child" | "twice":
                return False
            case other:
                raise SystemExit(f"no fault {other!r}")
        return True

    def command(self, line: str) -> bool:
        words = line.split()
        identity = words.pop(0) if words and words[0].isdigit() else ""
        name, arguments = words[0], words[1:]
        match name if name in self.commands else "":
            case "quit":
                if self.options.fault == "ignore-quit":
                    signal.signal(signal.SIGTERM, signal.SIG_IGN)
                    time.sleep(3600)
                reply(identity)
                return False
            case "name":
                reply(identity, self.options.name)
            case "version":
                reply(identity, "0")
            case "list_commands":
                reply(identity, "\n".join(self.commands))
            case "set_game":
                pairs = zip(arguments[1::2], arguments[2::2], strict=True)
                settings = {n: read_setting(arguments[0], n, v) for n, v in pairs}
                self.game = create_game(arguments[0], settings=settings)
                reply(identity)
            case "boardsize":
                self.game = create_game(self.game.name, int(arguments[0]), self.game.settings)
                reply(identity)
            case "clear_board":
                self.position = self.game.start()
                reply(identity)
            case "play":
                if self.options.fault == "refuse-play" and self.genmoves + 1 == self.options.at:
                    reply(identity, "I do not like it", "?")
                else:
                    self.position = self.position.play(read_turn(arguments[1]))
                    reply(identity)
            case "genmove":
                self.genmove(identity)
            case _:
                reply(identity, "unknown command", "?")
        return True


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--name", default="fake")
    parser.add_argument("--fault")
    parser.add_argument("--at", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=0.0)
    parser.add_argument("--nth", type=int, default=0, help="play this legal turn, from 0")
    parser.add_argument("--swap", action="store_true")
    parser.add_argument("--only", nargs=2, help="play this game and size, with six commands")
    options = parser.parse_args()
    if options.fault == "exit-at-start":
        sys.exit(7)
    if options.fault == "hang-at-start":
        time.sleep(3600)
    if options.fault == "garbage-at-start":
        write("Welcome to Fake 1.0!\n")
    if options.fault == "child":
        subprocess.Popen(["sleep", str(options.seconds)])
    fake = Fake(options)
    while line := sys.stdin.readline():
        if line.strip() and not fake.command(line):
            return


main()
gc.freeze()
