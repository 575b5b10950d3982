"""Strangers' engines in GoGui: a native engine's process behind the GoGui profile.

`turns.py` says which turns led to a position, `setting_up.py` which could have led to one that was
set up, `native_engine.py` makes the engine of a seat one of the engines that the profile knows,
and `conversation.py` is the loop between GoGui's pipes and all that.
"""
