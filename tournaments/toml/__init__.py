"""What users write as TOML: reading it, what may stand in it, and what is wrong with it.

The keys are declared once: those of a format by the format itself, all others in `tables.py`. From
these declarations come the checks, the schema for editors and the tables of the docs. Start with
`tournament_file.py`, which leads from a file to a `Tournament`; `checking.py` makes the sentences
about mistakes, and `schema.py` the schema.
"""
