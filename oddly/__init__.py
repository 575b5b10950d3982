"""A match referee, engines and tournaments for the games Yodd, Xodd, Odd and Ayu.

The names that a beginner needs are here, and each is imported when it is first used. `help(oddly)`
shows them all, with an example of each:

    >>> import oddly
    >>> game = oddly.create_game("yodd", 4)
    >>> position = game.start().play("Bd4").play("Wd5,Wd3")
    >>> print(oddly.draw(position))
         . . . .  7
        . . . . .  6
       . . . O . .  5
      . . . X . . .  4
     a . . O . . .  3
      b . . . . .  2
       c . . . .  1
        d e f g
    Black (X) to move
    Groups: 1 black + 2 white = 3

`GAMES` has every game's class by the game's name, those of other packages too:

    >>> print(*list(oddly.GAMES)[:4])
    yodd xodd odd ayu

- Rules: GAMES, create_game, Position, parse_turn, IllegalTurn, random_turn.
- Pictures: draw, picture_of, svg.
- Engines: Engine, create_engine, search, solve, new_engine, run_check.
- Games between programs: engine, play_game, run_match, run_sprt.
- Tournaments: Tournament, RoundRobin, load_tournament, run_tournament, read_ledger,
  summaries_text.
- Games as files: read_games, write_games.
- Ratings and tests: collect, rate, sprt.

Everything else lies in the rooms: `oddly.games` has the rules, `oddly.protocol` the wire,
`oddly.safe_files` files that survive a crash, `oddly.engines` our engines and what an engine is
built on, `oddly.referee` one game between two programs, `oddly.tournaments` many of them,
`oddly.game_records` games as files, `oddly.learning` the environments for programs that learn,
`oddly.study` the measuring of a game, `oddly.arena` games between engines that dial in, and
`oddly.interfaces` the commands, the page and the reports.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
