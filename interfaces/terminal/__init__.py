"""The terminal: playing at a prompt (`play/`), watching a tournament live (`live/`), `joining.py`.

In each, a pure part decides what is shown and a thin part owns the terminal. Start with
`play/play_session.py` and `live/view.py`.
"""
