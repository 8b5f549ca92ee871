"""Machine code without loop strength reduction, a pass of LLVM that replaces products in loops by
sums that go along.

It looks at all that is counted along a loop together, and in ``run``, where every number of a
random stream is a function of the step, that is half of the time of making machine code. Processors
of our days compute an address with its product in one instruction, so that kernels are as fast
without it (docs/decisions/0051). LLVM has one switch for the whole process: it is turned for as
long as a library of ours is made, in which Numba's lock keeps other compilations by Numba out. What
another program makes by llvmlite in that time, in another thread and without Numba, is made without
the pass as well; it computes the same.
"""

from __future__ import annotations

from typing import Any

from llvmlite import binding
from numba.core.compiler import Compiler

from codegen.store.joined_late import LateLibrary

SWITCH = "-disable-lsr"
TRIED = range(20, 23)  # versions of LLVM, which ends the process for a switch that it does not know


class PlainLoopsCompiler(Compiler):  # type: ignore[misc]
    """Numba's compiler, without loop strength reduction."""

    def compile_extra(self, func: Any) -> Any:
        """Compile a function.

        Args:
            func: the Python function.
        """
        library = _PlainLoops(self.state.targetctx.codegen(), func.__qualname__)
        library.enable_object_caching()
        library.joins_late = not self.state.flags.forceinline
        self.state.library = library
        return super().compile_extra(func)


class _PlainLoops(LateLibrary):
    """Functions whose machine code is made without loop strength reduction."""

    def _finalize_specific(self) -> None:
        try:  # with the first turn inside, as Ctrl-C may come at once after it
            _leave_out(True)
            super()._finalize_specific()
        finally:
            _leave_out(False)


def _leave_out(wanted: bool) -> None:
    if binding.llvm_version_info[0] in TRIED:
        binding.set_option("", f"{SWITCH}={str(wanted).lower()}")
