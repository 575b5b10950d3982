"""One step that no other thread can come between: compare a number and exchange it."""

from __future__ import annotations

from threading import Lock
from typing import Any

from oddly.engines.kernels.jit import HAS_NUMBA

if HAS_NUMBA:
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]
    def exchange_if(
        context: Any, array: Any, place: Any, expected: Any, wanted: Any
    ) -> tuple[Any, Any]:
        """Write `wanted` to a place of a 1-d array if `expected` is there; return whether it was.

        What was written before is seen by every thread that sees this.
        """
        del context, expected, wanted
        signature = types.boolean(array, types.intp, array.dtype, array.dtype)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array_type = signature.args[0]
            view = context.make_array(array_type)(context, builder, arguments[0])
            pointer = cgutils.get_item_pointer(
                context, builder, array_type, view, [arguments[1]], wraparound=False
            )
            order = "seq_cst"
            result = builder.cmpxchg(pointer, arguments[2], arguments[3], order, order)
            return builder.extract_value(result, 1)

        return signature, generate

else:
    _lock = Lock()

    def exchange_if(array: Any, place: Any, expected: Any, wanted: Any) -> Any:
        """Write `wanted` to a place of an array if `expected` is there; return whether it was."""
        with _lock:
            if array[place] != expected:
                return False
            array[place] = wanted
            return True
