"""Games in files: SGF, JSON Lines and lists of turns, read and written a game at a time.

Reading judges every game by the rules of `games/`. No module here prints or knows the command line.
"""
