"""The protocol between referee and engines: GTP 2 framing, our turns, clocks and options.

No module here does input or output, and none imports trio.
"""
