"""Numba made to compile a function together with all that it calls.

By itself Numba optimises every function, makes machine code and two wrappers of it, and keeps it on
disk, although nearly all are copied into the few that Python calls. Here a function is typed and
lowered once in a process for each list of types and left at that, as an `InnerLibrary`. Only what
Python calls becomes machine code, as an `EntryLibrary`: LLVM sees it with all that it calls.

This uses what Numba documents (a pipeline with custom passes, callables as types) and some of what
it does not; `tests/engines/kernels/test_jit.py` tries each use by itself.
"""

from __future__ import annotations

from types import BuiltinFunctionType
from typing import TYPE_CHECKING, Any

from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.typed_passes import IRLegalization, NativeLowering
from numba.core.types import unliteral  # type: ignore[attr-defined]
from numba.core.untyped_passes import IRProcessing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class EntryLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The machine code of a function that Python calls, with all that it calls."""

    def add_linking_library(self, library: Any) -> None:
        """Link `library` and, if it was only lowered, all that it calls."""
        linked = self._linking_libraries
        if library in linked:
            return
        super().add_linking_library(library)
        if isinstance(library, InnerLibrary):
            # The linker takes only what is wanted so far: callers come before what they call.
            for called in library._linking_libraries:
                if called in linked:
                    linked.remove(called)
                linked.append(called)


class InnerLibrary(EntryLibrary):
    """The code of a function that other compiled ones call, as it was lowered."""

    def _ensure_finalized(self) -> None:
        """Do nothing: this becomes machine code as a part of what calls it."""


class _Pass(AnalysisPass):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()


class Remembering:
    """Numba's typing context, which resolves a call of one of Numba's own functions once.

    Numba's own tries dozens of templates for every `+`, each time.
    """

    def __init__(self, context: Any, known: dict[Any, Any]) -> None:
        self._context, self._known = context, known

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def resolve_function_type(self, function: Any, arguments: Any, keywords: Any) -> Any:
        """Return the signature of a call with these types of arguments."""
        if keywords or not isinstance(function, BuiltinFunctionType | types.Function):
            return self._context.resolve_function_type(function, arguments, keywords)
        plain = tuple(map(unliteral, arguments))
        if all(isinstance(each, types.Number | types.Boolean) for each in plain):
            # Literal numbers have types of their own, but their values decide nothing.
            arguments = plain
        key = function, arguments
        if key not in self._known:
            signature = self._context.resolve_function_type(function, arguments, keywords)
            if signature is None:
                return None
            self._known[key] = signature
        return self._known[key]


_SIGNATURES: dict[tuple[Any, Any], Any] = {}


@register_pass(mutates_CFG=False, analysis_only=True)
class _Remember(_Pass):
    """Infer types with a memory."""

    _name = "oddly_remember"

    def run_pass(self, state: Any) -> bool:
        state.typingctx = Remembering(state.typingctx, _SIGNATURES)
        return False


@register_pass(mutates_CFG=False, analysis_only=True)
class _ForEntry(_Pass):
    """Lower into an `EntryLibrary`."""

    _name = "oddly_for_entry"

    def run_pass(self, state: Any) -> bool:
        state.library = EntryLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return False


@register_pass(mutates_CFG=False, analysis_only=True)
class _ForCallers(_Pass):
    """Lower into an `InnerLibrary`, and make nothing that could be called."""

    _name = "oddly_for_callers"

    def run_pass(self, state: Any) -> bool:
        state.library = InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        return False


@register_pass(mutates_CFG=False, analysis_only=True)
class _Naming(_Pass):
    """Let callers find what was lowered, by a key that only looks like a function."""

    _name = "oddly_naming"

    def run_pass(self, state: Any) -> bool:
        lowered = state["cr"]
        # A dispatcher takes only what is built in; this one belongs to the library alone.
        key = state.library.__sizeof__
        state.targetctx.insert_user_function(key, lowered.fndesc, [state.library])
        state["cr"] = lowered._replace(cfunc=key)
        return False


class EntryCompiler(CompilerBase):  # type: ignore[misc]
    """Numba's compiler for a function that Python calls."""

    def define_pipelines(self) -> list[Any]:
        """Return Numba's own passes and ours."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(_Remember, IRProcessing)
        passes.add_pass_after(_ForEntry, IRLegalization)
        passes.finalize()
        return [passes]


class InnerCompiler(CompilerBase):  # type: ignore[misc]
    """Numba's compiler for a function that other compiled ones call."""

    def define_pipelines(self) -> list[Any]:
        """Return Numba's own passes and ours."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(_Remember, IRProcessing)
        passes.add_pass_after(_ForCallers, IRLegalization)
        passes.add_pass_after(_Naming, NativeLowering)
        passes.finalize()
        return [passes]


class ChoiceType(types.Callable, types.Dummy):
    """The type of a function that calls one of several, by the class of its first argument."""

    def __init__(self, name: str, implementations: Mapping[type, Callable[..., Any]]) -> None:
        self._implementations = implementations
        super().__init__(name)

    def _chosen(self, arguments: Any) -> Any:
        implementation: Any = self._implementations[arguments[0].instance_class]
        return implementation._numba_type_

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """Return the signature of the function for these types of arguments."""
        return self._chosen(args).get_call_type(context, args, kws)

    def get_call_signatures(self) -> tuple[list[Any], bool]:
        """Return none: there are more than can be listed."""
        return [], True

    def get_impl_key(self, sig: Any) -> Any:
        """Return the key of the function that a call with this signature means."""
        return self._chosen(sig.args).get_impl_key(sig)
