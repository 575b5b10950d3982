"""The protocol between referee and engines: GTP 2 framing, our turns, clocks and options.

No module here does input or output, and none imports trio. Bytes go into a decoder and messages
come out, so both ends of a pipe and the tests use the same code. A line in canonical form is read
by a regular expression; the grammar reads every other line, and says where it is wrong.

Start with `messages.py`, then `codec.py`. `grammar.py` is the grammar, rule by rule as in
docs/reference/protocol.md. The public names are in `__init__.pyi`.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
