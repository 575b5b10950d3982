"""The server of an arena: the rim around `oddly.arena`, which itself does no input or output.

`settings_file.py` reads ARENA.toml, `service.py` runs everything until it is stopped, and has the
thread for the disk. `endpoint.py` is the WebSocket to which engines' sides dial.
"""
