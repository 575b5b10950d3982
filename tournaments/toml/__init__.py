"""Reads the TOML that users write, and says what it may contain and what is wrong with it.

The keys are declared once: those of a format by the format itself, all others in `tables.py`. The
checks, the schema for editors and the tables of the docs come from these declarations. Start with
`tournament_file.py`, which leads from a file to a `Tournament`; `checking.py` makes the sentences
about mistakes, and `schema.py` the schema.
"""
