"""The server of an arena, around `oddly.arena`, which itself does no input or output.

`settings_file.py` reads ARENA.toml, `service.py` runs everything until it is stopped, and has the
thread for the disk. `endpoint.py` is the WebSocket that engines' sides dial.
"""
