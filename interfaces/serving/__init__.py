"""Serving an ASGI application over HTTP on trio, for the page and for bots.

Start with `http_server.py`, which serves until an event, whatever a request does to it.
`listening.py` opens the sockets, for as many connections as the system permits.
"""
