"""Functions that stay functions of their own in machine code are optimised once, and not again with
each function that calls them.

Numba joins a function with all that it calls, and lets LLVM optimise the whole: a sum over
coordinates is then optimised by itself, with the potential and with the gradient that call it, and
with ``run`` that calls these. Here a function that is not made a part of its callers
(``forceinline``) joins them after they have been optimised. Callers see no more of it than that it
exists; values are the same, bit for bit, as LLVM may reorder no arithmetic in either case
(docs/decisions/0051).
"""

from __future__ import annotations

from typing import Any

from llvmlite import binding
from numba.core.codegen import JITCodeLibrary


def stays_function(options: Any) -> bool:
    """Whether a function is not made a part of its callers.

    Args:
        options: how Numba compiles it, by name.
    """
    return not options.get("forceinline")


class LateLibrary(JITCodeLibrary):  # type: ignore[misc]
    """A library that its callees join after it is optimised, where these stay functions.

    Attributes:
        joins_late: whether it joins its own callers so.
    """

    joins_late = False
    _linking_libraries: list[Any]  # Numba's
    _late: tuple[Any, ...] = ()

    def finalize(self) -> None:
        """Join with the libraries of callees, optimise, and make machine code."""
        called = dict.fromkeys(self._linking_libraries)
        self._late = tuple(c for c in called if getattr(c, "joins_late", False))
        self._linking_libraries = [c for c in called if c not in self._late]
        super().finalize()

    def _optimize_final_module(self) -> None:
        super()._optimize_final_module()
        for library in self._late:
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        if self._late:  # entry points of functions that Python calls as well
            self._without_unused()
        # as it is now: LLVM changes a module of which it makes machine code
        self._shared_module = self._linkable()

    def _linkable(self) -> Any:
        """A copy for callers, in several of which the same function may stand."""
        copied = self._final_module.clone()
        for function in copied.functions:
            if not function.is_declaration and function.linkage == binding.Linkage.external:
                function.linkage = binding.Linkage.linkonce_odr
        return copied

    def _without_unused(self) -> None:
        passes = binding.create_new_module_pass_manager()
        passes.add_global_dead_code_eliminate_pass()
        tuning = binding.create_pipeline_tuning_options(speed_level=0)
        passes.run(self._final_module, binding.create_pass_builder(self._codegen._tm, tuning))
