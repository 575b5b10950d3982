"""Results as text: tables made by tabulate, and single lines.

Tables that more than one command shows are made here, from values that other rooms computed. Start
with `tables.py`, which all tables share, then `summary_tables.py`, the tables of an event.
`progress.py` has what people see while a command works, `line_writer.py` the lines that it writes.
"""
