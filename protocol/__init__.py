"""The protocol between referee and engines: GTP 2 framing, our turns, clocks and options.

No module here does input or output, and none imports trio. The public names stand in
`__init__.pyi`; each is imported when it is used.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
