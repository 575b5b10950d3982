"""The terminal: playing at a prompt (`play/`) and watching a tournament live (`live/`).

In each, a pure part decides what is shown and a thin part owns the terminal. Start with
`play/play_session.py` and `live/view.py`. `joining.py` keeps an engine at an arena (`oddly join`),
and says what happens to it.
"""
