"""SQLite files that somebody else changes."""

import sqlite3
from contextlib import closing


def changed(path, statement, *values):
    """Execute a statement in a file, and commit."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement, values)
