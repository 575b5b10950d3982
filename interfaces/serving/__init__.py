"""Serving an ASGI application over HTTP on trio, for the page and for bots."""
