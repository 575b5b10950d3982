"""`oddly play`: a game in the terminal, against an engine or another human."""

from __future__ import annotations

import random
import shlex
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

import trio
from rich.console import Console
from rich.text import Text

from oddly.engines import ENGINES
from oddly.engines.levels import HIGHEST, NAMES, level_number, levels
from oddly.game_records import FORMATS, format_of, format_of_file
from oddly.games import GAMES, create_game, did_you_mean, one_line, xml_text
from oddly.interfaces.command_line.command import WHOLE_NUMBER, OneOf, Value, command
from oddly.interfaces.command_line.common_options import GameOptions
from oddly.interfaces.command_line.declaring import flag, option, options
from oddly.interfaces.command_line.errors import BadInputError, ExitCode, refusing, say
from oddly.interfaces.human_play.recording import NoHomeError, PeopleClock
from oddly.interfaces.human_play.sentences import level_table, level_text
from oddly.interfaces.terminal.play.driver import (
    Driver,
    PipeReader,
    Reader,
    evidence_text,
    is_interactive,
)
from oddly.interfaces.terminal.play.play_session import PlaySession
from oddly.interfaces.terminal.play.scoresheet import (
    Autosave,
    Participant,
    Scoresheet,
    default_file,
)
from oddly.protocol import parse_time_control
from oddly.referee import (
    EngineConfiguration,
    EngineFault,
    EngineSeat,
    GameRecord,
    Limits,
    ProgramError,
    RecordError,
    find_program,
)
from oddly.referee.program.configuration import split_words
from oddly.tournaments.run.preparing import split_command, warm_engines

if TYPE_CHECKING:
    from collections.abc import Sequence


HUMAN = "human"
ADVISER = "rave"
ENGINE_TIME = "5"
HINT_TIME = "2"
"""Seconds for a hint."""
COMPILING = 600.0
"""How long an engine may take to get ready, in seconds; Ctrl-C ends the wait."""
COLOURS = ("black", "white", "random")
LARGEST_SEED = 2**31
REFUSED_OPTION = "refused 'set_option "
OURS = (sys.executable, "-P", "-m", "oddly")
"""The running oddly, independent of PATH and the working directory."""


@options()
class PlayOptions:
    """Who plays, and where the game is kept."""

    against: str = option(
        "ENGINE",
        f"an engine of ours ({', '.join(ENGINES)}), any engine's command line, in quotes, "
        "or human, for two at one terminal",
        kind=Value(str, lambda: (*ENGINES, HUMAN)),
        default=ADVISER,
    )
    level: int | None = option(
        "N",
        f"how strong {ADVISER} plays: 1 ({NAMES[0]}) to {HIGHEST} ({NAMES[-1]}); by default "
        "as strong as it can",
        kind=Value(level_number, lambda: map(str, range(1, HIGHEST + 1))),
    )
    levels: bool = flag("print the levels with their measured strength, and leave")
    colour: str | None = option(
        "COLOUR",
        "your side: black, white or random (default: black)",
        kind=OneOf(*COLOURS),
        names="--colour --color",
    )
    time: str | None = option(
        "SPEC", f"the engine's clock, as in 'oddly match' (default: {ENGINE_TIME})"
    )
    clock: PeopleClock | None = option(
        "MAIN+INCREMENT",
        "a clock for people: seconds for the game, and for each turn, as in 600+5; it runs "
        "from the second turn on (default: none)",
        kind=Value(PeopleClock.of),
    )
    settings: tuple[str, ...] = option("NAME=VALUE", "set an engine option", names="--option")
    seed: int | None = option("N", "the engine's seed (default: random)", kind=WHOLE_NUMBER)
    hints: str = option(
        "ENGINE",
        f"who is asked for hints, {HINT_TIME} seconds each",
        kind=Value(str, lambda: ENGINES),
        default=ADVISER,
    )
    resume: Path | None = option("FILE", "go on with a recorded or saved game")
    record: Path | None = option(
        "FILE",
        "a new .jsonl file to keep the game in, turn by turn (default: one in "
        "~/.local/state/oddly)",
    )

    @property
    def engine_time(self) -> str:
        """The engine's clock."""
        return ENGINE_TIME if self.time is None else self.time


@command("play --game yodd --size 4 --level 2")
def run(*, game: GameOptions, options: PlayOptions) -> int:
    """Play a game, or continue one."""
    if options.levels:
        named = game.create_if_named("play")
        games = [create_game(name) for name in GAMES] if named is None else [named]
        print(level_table(games, ADVISER))
        return ExitCode.DONE
    resumed = resumed_game(game, options.resume)
    kind = game.create() if resumed is None else resumed.game
    opponent = opponent_from(options)
    adviser = configuration("hints", options.hints, HINT_TIME)
    with refusing(NoHomeError, where="play", hint=": name a file for the game by --record"):
        autosave = Autosave(new_record(options.record) if options.record else default_file(kind))
    if options.clock is None:
        opponent = None if opponent is None else while_compiling(opponent)
        adviser = while_compiling(adviser)
    elif opponent is not None:
        # A game with a clock for the person is serious: the opponent plays its best from the start.
        trio.run(warm_engines, [opponent], [kind])
    played = () if resumed is None else resumed.turns
    if options.level:
        print(f"{ADVISER} plays at {level_text(levels(kind)[options.level - 1])}.")
    scoresheet = Scoresheet(
        kind,
        participants(options.colour, opponent, resumed),
        [turn.turn for turn in played],
        seconds=[turn.seconds for turn in played],
        clock=options.clock,
    )
    seed = random.randrange(LARGEST_SEED) if options.seed is None else options.seed
    code = None
    try:
        code = trio.run(play, scoresheet, opponent, adviser, autosave, seed)
    except* BrokenPipeError:
        pass
    except* KeyboardInterrupt:
        # Ctrl-C while an engine got ready, or when the input ended.
        code = ExitCode.INTERRUPTED
    if code is None:
        # The reader of the output has seen enough: that ends a game as `quit` does.
        return ExitCode.DONE
    tell_where_kept(autosave, options)
    return code


def tell_where_kept(autosave: Autosave, options: PlayOptions) -> None:
    """Print where the game is kept and how to go on with it, or why it is not kept."""
    if autosave.failure:
        print(f"The end of the game is not kept: {xml_text(autosave.failure)}")
    elif autosave.has_kept:
        print(
            f"The game is kept in {xml_text(str(autosave.path))}\n"
            f"To go on with it: {xml_text(resume_command(options, autosave.path))}"
        )


def while_compiling(engine: EngineConfiguration) -> EngineConfiguration:
    """Let an engine of ours answer by the plain rules until its kernels are compiled."""
    if not split_command(engine.command)[1]:
        return engine
    return replace(engine, options={"while_compiling": "plain", **engine.options})


async def play(
    scoresheet: Scoresheet,
    opponent: EngineConfiguration | None,
    adviser: EngineConfiguration,
    autosave: Autosave,
    seed: int,
) -> int:
    """Play with real engines and the person at standard input; return the exit code."""
    console = PlayConsole()
    async with trio.open_nursery() as nursery:
        patient = Limits(handshake=COMPILING, setting_up=COMPILING)
        new_seat = partial(EngineSeat, nursery=nursery, seed=seed, limits=patient)
        advice = new_seat(adviser)
        engine = None if opponent is None else new_seat(opponent)
        try:
            if engine is not None:
                with console.status(Text(f"{engine.name} is getting ready; Ctrl-C leaves")):
                    await engine.follow(scoresheet.current.game, scoresheet.current.played)
                scoresheet.name_the_engine(engine.name)
            session = PlaySession(scoresheet)
            reader = reader_for(session, console)
            driver = Driver(session, engine, advice, reader, console, autosave, seed)
            await driver.run()
        except EngineFault as fault:
            return not_ready(adviser if opponent is None else opponent, fault)
        finally:
            for each in (engine, advice):
                if each is not None:
                    await each.stop()
    return ExitCode.INTERRUPTED if driver.was_ended else ExitCode.DONE


class PlayConsole(Console):
    """A console that raises an error when its reader is gone."""

    def on_broken_pipe(self) -> None:
        """Raise BrokenPipeError."""
        raise BrokenPipeError


def not_ready(engine: EngineConfiguration, fault: EngineFault) -> int:
    """Say why an engine is not ready to play; return the exit code."""
    said = f"{fault.reason}{evidence_text(fault)}"
    say(f"play: {one_line(engine.name)}: {said}")
    return ExitCode.BAD_INPUT if fault.reason.startswith(REFUSED_OPTION) else ExitCode.NO_START


def reader_for(session: PlaySession, console: PlayConsole) -> Reader:
    """Return a prompt with completion on a terminal, and a reader of plain lines elsewhere."""
    if not is_interactive():
        return PipeReader(
            sys.stdin.fileno(), lambda text: console.print(Text(text), soft_wrap=True)
        )
    from oddly.interfaces.terminal.play.prompting import PromptReader

    return PromptReader(session)


def opponent_from(options: PlayOptions) -> EngineConfiguration | None:
    """Return the engine to play against, or None for a second human. Raises BadInputError."""
    if options.against != HUMAN:
        settings = settings_from(options)
        engine = configuration("against", options.against, options.engine_time, settings)
        level = f"{engine.name}, level {options.level}" if options.level else engine.name
        return replace(engine, name=level)
    if options.settings or options.colour or options.level or options.time is not None:
        raise BadInputError(
            "play: --option, --level, --colour and --time are for games against an engine"
        )
    return None


def settings_from(options: PlayOptions) -> tuple[str, ...]:
    """Return the engine's options, with its level. Raises BadInputError if it has no levels."""
    if options.level is None:
        return options.settings
    if options.against != ADVISER:
        raise BadInputError(f"play: --level is for {ADVISER}, not for {options.against!r}")
    return (*options.settings, f"level={options.level}")


def configuration(
    name: str, text: str, time: str, settings: Sequence[str] = ()
) -> EngineConfiguration:
    """Return the engine that an option names, by its name here or by a command line.

    Raises BadInputError if there is none.
    """
    options = {}
    for setting in settings:
        option_name, equals, value = setting.partition("=")
        if not (equals and option_name.strip() and value.strip()):
            raise BadInputError(f"play: --option {setting!r}: expected NAME=VALUE, as in threads=2")
        options[option_name.strip()] = value.strip()
    control = parse_time_control(time)
    if text in ENGINES:
        return EngineConfiguration(text, (*OURS, "engine", text), control, options)
    try:
        words = split_words(text)
        command = find_program(words)
    except ProgramError as error:
        known = (*ENGINES, HUMAN) if name == "against" else ENGINES
        raise BadInputError(
            f"play: --{name} {text!r} is not one of our engines ({', '.join(ENGINES)}), and as a "
            f"command line: {error}{did_you_mean(text, known)}"
        ) from None
    return EngineConfiguration(one_line(Path(words[0]).name), command, control, options)


def participants(
    colour: str | None, opponent: EngineConfiguration | None, resumed: GameRecord | None
) -> tuple[Participant, Participant]:
    """Return who opens and who replies; a resumed game keeps the human's place."""
    if opponent is None:
        return Participant(f"{HUMAN} 1", True), Participant(f"{HUMAN} 2", True)
    if colour == "random":
        place = random.randrange(2)
    elif colour is None and resumed is not None:
        place = place_of_the_person(resumed)
    else:
        place = int(colour == "white")
    human, engine = Participant(HUMAN, True), Participant(opponent.name, False)
    return (human, engine) if place == 0 else (engine, human)


def place_of_the_person(resumed: GameRecord) -> int:
    """Return the place without an engine in a recorded game; by name if that is not one place."""
    persons = [place for place, engine in enumerate(resumed.engines) if not engine]
    if len(persons) == 1:
        return persons[0]
    return resumed.players.index(HUMAN) if HUMAN in resumed.players else 0


def resumed_game(game: GameOptions, path: Path | None) -> GameRecord | None:
    """Return the one game of --resume's file, or None without it. Raises BadInputError."""
    if path is None:
        if game.game is None:
            raise BadInputError(
                "play: --game or --resume is missing, as in "
                "'oddly play --game yodd --size 4 --level 2'"
            )
        return None
    if game.given:
        raise BadInputError("play: with --resume the game comes from the file")
    format_ = format_of_file(path)
    if format_ not in ("sgf", "jsonl", "abstract-play"):
        raise BadInputError(f"play: --resume {path}: expected a file .jsonl or .sgf")
    with (
        refusing(OSError, where=f"play: cannot read {path}"),
        refusing(RecordError, where=f"play: {path}"),
        path.open("rb") as file,
    ):
        records = [kept.record for kept in FORMATS[format_].read(file, None)]
    if len(records) != 1:
        raise BadInputError(f"play: {path} holds {len(records)} games: expected one")
    return records[0]


def new_record(path: Path) -> Path:
    """Return the path of a new file of JSON Lines.

    Raises BadInputError if its name has another ending, or if it exists or cannot be written.
    """
    if format_of(path) != "jsonl":
        raise BadInputError(f"play: --record {path}: expected a file .jsonl")
    if path.exists():
        raise BadInputError(f"play: --record {path} already exists: name a new file")
    with refusing(OSError, where=f"play: cannot write --record {path}"):
        TemporaryFile(dir=path.parent).close()
    return path


def resume_command(options: PlayOptions, path: Path) -> str:
    """Return the command that continues the game."""
    chosen = [
        ("--time", None if options.against == HUMAN else options.engine_time),
        ("--clock", options.clock),
        ("--level", options.level),
        *(("--option", setting) for setting in options.settings),
        ("--hints", None if options.hints == ADVISER else options.hints),
        ("--seed", options.seed),
    ]
    words = ["oddly", "play", "--resume", str(path), "--against", options.against]
    for word, value in chosen:
        if value is not None:
            words += [word, str(value)]
    return shlex.join(words)
