"""Numba's compiler without work that nobody uses: kernels compile in three quarters of the time.

Numba makes machine code of every function together with all that it calls, also of functions that
only other compiled functions call: a chain of five was translated five times. Here such a function
ends as optimized LLVM code, which its callers take in; machine code is made of what Python calls.

The garbage collector rests meanwhile: the compiler makes millions of small objects that all live
until it has finished, and looking through them again and again took a sixth of the time.
"""

from __future__ import annotations

import gc
from typing import Any

from poise.compilation.folder import kernel_folder as kernel_folder  # isort: skip  (before Numba)

import llvmlite.binding as llvm
from numba.core import event, ir, targetconfig
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, CompileResult, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import NativeLowering

INNER = "inner"
"""How the code of an inner kernel is marked on disk."""


class InnerLibrary(JITCodeLibrary):
    """The code of a kernel that Python cannot call: optimized, without machine code."""

    goes_into_callers = False
    """Whether every call is replaced by the code, which is optimized there."""

    @property
    def codegen(self) -> Any:
        """Of the target, but without an engine that holds the code."""
        return _WithoutEngine(self._codegen)

    def finalize(self) -> None:
        """Take in what it calls, and optimize the whole."""
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        codegen: Any = self._codegen
        if not self.goes_into_callers:
            manager, builder = codegen._module_pass_manager()
            manager.run(self._final_module, builder)
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Null: there is no function at any address."""
        self._ensure_finalized()
        return 0

    def serialize_using_object_code(self) -> Any:
        """What `rebuild_inner` takes."""
        return (self.name, INNER, self._get_module_for_linking().as_bitcode())

    @classmethod
    def from_bitcode(cls, codegen: Any, name: str, bitcode: bytes) -> InnerLibrary:
        """Read what was kept."""
        library = cls(codegen, name)
        library._shared_module = llvm.parse_bitcode(bitcode)
        library._finalized = True
        return library


class _WithoutEngine:
    """A code generator that has no addresses for environments."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: object) -> None:
        """Nothing: the caller's machine code will hold the environment."""


@register_pass(mutates_CFG=True, analysis_only=False)
class _InnerLowering(NativeLowering):
    """Lowering into an `InnerLibrary`."""

    _name = "inner_lowering"

    def run_pass(self, state: Any) -> Any:
        state.library = InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.goes_into_callers = state.flags.forceinline
        state.library.enable_object_caching()
        return super().run_pass(state)


class InnerCompiler(CompilerBase):
    """Numba's pipeline, ending in LLVM code that callers take in."""

    def define_pipelines(self) -> list[Any]:
        """Numba's own, with the lowering replaced."""
        manager = PassManager("inner")
        for step, about in DefaultPassBuilder.define_nopython_pipeline(self.state).passes:
            manager.add_pass(_InnerLowering if step is NativeLowering else step, about)
        manager.finalize()
        return [manager]


def rebuild_inner(target_context: Any, payload: tuple[Any, ...]) -> Any:
    """The compiled kernel of what was kept of it."""
    (name, _, bitcode), description, environment, signature, *_ = payload
    library = InnerLibrary.from_bitcode(target_context.codegen(), name, bitcode)
    return CompileResult(
        target_context=target_context,
        typing_context=target_context.typing_context,
        library=library,
        environment=environment,
        entry_point=target_context.get_executable(library, description, environment),
        fndesc=description,
        type_annotation="",
        signature=signature,
        objectmode=False,
        lifted=(),
        typing_error=None,
        call_helper=None,
        metadata=None,
        reload_init=(),
        referenced_envs=list(payload[-1]),
    )


def hand_over_environments(compiled: Any) -> None:
    """Tell machine code where the environments are of the inner kernels that it took in."""
    if not isinstance(compiled.library, InnerLibrary):
        for environment in compiled._find_referenced_environments():
            compiled.codegen.set_env(environment.env_name, environment)


class _Rest(event.Listener):
    """No garbage collection while Numba compiles."""

    depth = 0
    was_on = False

    def on_start(self, event: object) -> None:
        """Compilation of one function begins, maybe within that of another."""
        if not self.depth:
            self.was_on = gc.isenabled()
            gc.disable()
        self.depth += 1

    def on_end(self, event: object) -> None:
        """Compilation of one function ended."""
        self.depth -= 1
        if not self.depth and self.was_on:
            gc.enable()


event.register("numba:compile", _Rest())


def _compare_flags_faster() -> None:
    """Let Numba compare its compiler flags by the few that are set, not by all forty one by one.

    It does so for each call in each kernel: an eighth of the time.
    """
    flags: Any = targetconfig.TargetConfig
    defaults: dict[type, dict[str, object]] = {}

    def values(self: Any) -> dict[str, object]:
        kind = type(self)
        if kind not in defaults:
            defaults[kind] = {name: option.default for name, option in self.options.items()}
        return {**defaults[kind], **self._values}

    def equal(self: Any, other: Any) -> bool:
        if not isinstance(other, flags):
            return NotImplemented
        return self is other or self.values() == other.values()

    flags.values = values
    flags.__eq__ = equal


def _list_variables_faster() -> None:
    """Let Numba list the variables of its intermediate code without asking every text and number.

    It does so several times for each statement, by four questions for each thing there is.
    """
    plain = {str, int, float, bool, complex, bytes, type(None), ir.Loc}
    node: Any = ir.Inst

    def listed(self: object, value: Any) -> list[Any]:
        found: list[Any] = []
        waiting = [value]
        while waiting:
            each = waiting.pop()
            kind = type(each)
            if kind in plain:
                continue
            if isinstance(each, ir.Var):
                found.append(each)
            elif isinstance(each, ir.Inst):
                found.extend(each.list_vars())
            elif isinstance(each, list | tuple):
                waiting.extend(reversed(each))
            elif isinstance(each, dict):
                waiting.extend(reversed(list(each.values())))
        return found

    node._rec_list_vars = listed


_compare_flags_faster()
_list_variables_faster()
