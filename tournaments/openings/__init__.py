"""The first turns of games, which are played for both engines so that games differ."""
