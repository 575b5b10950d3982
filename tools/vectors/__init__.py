"""Conformance vectors: facts about the games that an implementer in any language can test against.

`python -m tools.vectors` writes the files beside this one from the rules in `games/`; README.md
says what every field means. No module here knows more of the rules than `games/` does.
"""
