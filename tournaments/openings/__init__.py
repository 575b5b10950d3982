"""The first turns of games, which are played for both engines so that games differ.

An opening follows from the seed, the game and its number, so a resumed event has the same ones.
`openings.py` reads openings from a file, or draws balanced ones in a separate process, ahead of the
games that need them.
"""
