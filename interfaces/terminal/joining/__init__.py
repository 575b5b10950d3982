"""What the terminal shows while an engine is at an arena: one live line, with sentences above it.

The texts come from `interfaces/text/joining.py`.
"""
