"""Bridges to engines: a native engine over TCP, and engines that play single drops.

To the referee, a bridge is a program like any other, with standard input and output. Both ends
prove that they know a token before any byte goes through. Start with `connector.py`, the referee's
end, and `listener.py`, the engine's; `address.py` reads where they meet, `handshake.py` has their
first messages, and `session.py` the session that outlives a connection. `drop_level.py` is the
other kind of bridge: it makes whole turns from the single drops of a simpler engine.
"""
