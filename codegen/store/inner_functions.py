"""Functions that only other compiled functions call: they become part of these, so that they get no
machine code of their own.

Numba makes machine code of every function that it compiles, although that of ``run`` contains all
that it calls: a twentieth of the time of compiling a module. What callers take is the optimised
form that LLVM has of a function, and it stays the same.
"""

from __future__ import annotations

from typing import Any

from numba.core.compiler import Compiler

from codegen.store.joined_late import LateLibrary


class InnerCompiler(Compiler):  # type: ignore[misc]
    """Numba's compiler for a function that Python does not call."""

    def compile_extra(self, func: Any) -> Any:
        """Compile a function into a library without machine code.

        Args:
            func: the Python function.
        """
        library = _InnerLibrary(self.state.targetctx.codegen(), func.__qualname__)
        library.joins_late = not self.state.flags.forceinline
        self.state.library = library
        return super().compile_extra(func)


class _InnerLibrary(LateLibrary):
    """The optimised functions of a library, for others to contain."""

    def _finalize_final_module(self) -> None:
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return that there is no machine code."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        """Numba tells it the environments of functions that have machine code."""
        return _NoMachineCode()


class _NoMachineCode:
    def set_env(self, name: str, env: Any) -> None:
        """Do nothing: there is no place for an environment."""
