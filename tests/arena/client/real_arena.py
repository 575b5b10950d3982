"""The scripted arena on a real port of this machine, with or without TLS."""

from contextlib import asynccontextmanager

import trio

from tests.arena.client.scripted_arena import ScriptedArena


@asynccontextmanager
async def listening_arena(games=1, tls=None, port=0, **settings):
    """Yield an arena, and the port where it listens."""
    async with trio.open_nursery() as nursery:
        arena = ScriptedArena(nursery, games, **settings)
        listeners = await trio.open_tcp_listeners(port, host="127.0.0.1")
        port = listeners[0].socket.getsockname()[1]
        arena.host = f"127.0.0.1:{port}"

        async def serve(stream):
            arena.connections += 1
            if tls is not None:
                stream = trio.SSLStream(stream, tls, server_side=True, https_compatible=True)
            await arena._serve(stream, next(arena._messages))

        nursery.start_soon(trio.serve_listeners, serve, listeners)
        try:
            yield arena, port
        finally:
            nursery.cancel_scope.cancel()
