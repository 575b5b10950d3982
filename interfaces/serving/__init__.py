"""Serving an ASGI application over HTTP on trio, for the page, for bots and for the arena.

Start with `http_server.py`, which serves until it is stopped, whatever a request does to it.
`listening.py` opens the sockets, for as many connections as the system permits. `applications.py`
says whom a request is charged to, and has the headers and tags of answers.
"""
