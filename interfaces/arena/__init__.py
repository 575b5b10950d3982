"""The server of an arena, around `oddly.arena`, which itself does no input or output.

Start with `service.py`, which runs everything until it is stopped, and has the thread for the disk.
`settings_file.py` reads ARENA.toml, `making.py` makes an arena from it, and `hosting.py` serves it.
`endpoint.py` is the WebSocket that engines' sides dial, `pages/` the site, `routes.py` its
addresses with their OpenAPI document, and `api_handlers.py` its JSON, `/api/v1`.
"""
