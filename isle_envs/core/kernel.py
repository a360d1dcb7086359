"""The ``@kernel`` decorator: compiled functions, kept on disk, never stale.

numba's own disk cache looks only at the file of the cached function, so it runs old code after an edit of a helper
elsewhere, and it never finds a kernel again that closes over other kernels. Here one file holds one compiled kernel:

- its name follows from what is compiled: module and qualified name of the function, closed-over kernels by name and
  other closed-over values by value, the argument types and the processor;
- its seal follows from what the code depends on: the bytecode, constants, globals and closures of the function and of
  all that it calls, and the source files of every function involved. (The sources of whole packages would be safe too,
  but then an edit of a docstring or of an environment would recompile every game.)

A file whose seal does not fit, for whatever reason, is compiled anew and replaced. So nothing stale runs, nothing
corrupt is loaded, and old files do not pile up. Files lie where numba would put them: in ``NUMBA_CACHE_DIR``, else in
``__pycache__`` beside the source, else in the user's cache folder. Compiled in every process are functions without a
file (a notebook, a prompt), recursive ones, and those over values that cannot be compared between processes.
"""

import dis
import functools
import hashlib
import os
import pickle
import secrets
import sys
import uuid
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import EnumMeta
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple, TypeVar, cast, overload

import numba
import numpy as np
from numba import config, njit

F = TypeVar("F", bound=Callable[..., Any])

# Libraries that the seal names by version; they are not searched for dependencies.
_LIBRARIES = {"numba", "numpy"}
_VERSIONS = repr((numba.__version__, np.__version__, sys.version))
# numba's own key leaves these out, and a run with NUMBA_BOUNDSCHECK=1 would find nothing.
_OPTIONS = repr((config.OPT, config.BOUNDSCHECK, config.DEBUGINFO_DEFAULT, sys.implementation.cache_tag))


@overload
def kernel(function: F) -> F: ...


@overload
def kernel(*, inline: bool) -> Callable[[F], F]: ...


def kernel(function: F | None = None, *, inline: bool = False) -> F | Callable[[F], F]:
    """Compile ``function`` with numba at its first call with given argument types, or load it from disk.

    With ``@kernel(inline=True)`` its code is put wherever a kernel calls it: for small functions in hot loops.

    Floats divide as in numpy and the interpreter lock is released. With ``NUMBA_DISABLE_JIT=1`` the function stays
    plain Python, without numpy's overflow warnings, since kernels wrap around in uint64 on purpose.
    """
    if function is None:
        return functools.partial(kernel, inline=inline)
    if config.DISABLE_JIT:
        return np.errstate(over="ignore")(function)
    dispatcher = njit(nogil=True, error_model="numpy", forceinline=inline)(function)
    if not hasattr(dispatcher, "_cache"):
        _warn_once("numba's dispatchers have no _cache")
    elif _CACHE_WORKS:
        dispatcher._cache = _DiskCache(function)
    return cast(F, dispatcher)


class _Place(NamedTuple):
    """Where and as what a function is kept."""

    stem: Path  # a folder and the first part of a file name
    name: str  # what is compiled
    token: str  # a digest of all that its code depends on
    serializer: Any  # numba's

    def path(self, signature: Any, codegen: Any) -> Path:
        digest = _digest(self.name, str(signature), repr(codegen.magic_tuple()), _OPTIONS)
        return self.stem.with_name(f"{self.stem.name}-{digest[:32]}.nbc")

    def seal(self, payload: bytes) -> bytes:
        return hashlib.sha256(self.token.encode() + payload).digest()


class _DiskCache:
    """What a numba dispatcher asks of its ``_cache``, for one function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._flushed = False
        self._place: _Place | None = None

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the compile result kept for ``signature``, or None."""
        with _out_of_the_way():
            target_context.refresh()  # as numba's own cache does: what the code needs may not be registered yet
            place = self._place = self._find_place()  # now: what a function depends on may be defined after it
            if place is not None and not self._flushed and _is_comparable(signature):
                data = place.path(signature, target_context.codegen()).read_bytes()
                if data[:32] == place.seal(data[32:]):
                    return place.serializer.rebuild(target_context, pickle.loads(data[32:]))
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep ``result``, atomically: a reader finds the old file or the new one."""
        with _out_of_the_way():
            place = self._place
            if place is None or not _is_comparable(signature) or not place.serializer.check_cachable(result):
                return
            payload = dumps(place.serializer.reduce(result))
            path = place.path(signature, result.codegen)
            temporary = path.with_name(f"{path.name}.{uuid.uuid4().hex}.tmp")
            try:
                temporary.write_bytes(place.seal(payload) + payload)
                os.replace(temporary, path)
            finally:
                temporary.unlink(missing_ok=True)

    def flush(self) -> None:
        """Load nothing from now on (for ``dispatcher.recompile``)."""
        self._flushed = True

    @property
    def cache_path(self) -> str | None:
        """The folder (for ``dispatcher.stats``); None before the first compilation and where nothing is kept."""
        return self._place and str(self._place.stem.parent)

    def _find_place(self) -> _Place | None:
        name, code = _Description(deep=False), _Description(deep=True)
        try:
            identity = name.of(self._function), code.of(self._function)
            sources = sorted(_source_digest(file) for file in code.files)
        except (_NotComparableError, OSError):
            return None
        try:
            serializer = CompileResultCacheImpl(self._function)
        except RuntimeError:
            _warn_once("no folder is writable; set NUMBA_CACHE_DIR")
            return None
        stem = Path(serializer.locator.get_cache_path()) / self._function.__name__.strip("<>")
        return _Place(stem, identity[0], _digest(*identity, _VERSIONS, *sources), serializer)


def _is_comparable(signature: Any) -> bool:
    """Whether argument types mean the same in every process; the type of a function names its address."""
    return " at 0x" not in str(signature)


class _NotComparableError(Exception):
    """A function that is recursive or has no file, or a value that cannot be compared between processes."""


class _Description:
    """Describes functions and values by text that is the same in every process.

    Shallow: functions by name and closure. Deep: also by code and globals. ``files`` collects the functions' sources.
    """

    def __init__(self, deep: bool) -> None:
        self.files: set[str] = set()
        self._deep = deep
        self._open: set[FunctionType] = set()
        self._seen: dict[Any, str] = {}

    def of(self, value: Any, names: tuple[str, ...] = ()) -> str:
        """Describe ``value``; of a module, its attributes among ``names``."""
        value = getattr(value, "py_func", value)  # of a kernel, the function
        value = getattr(value, "_defn", value)  # of an intrinsic, too: it is pickled with a random number
        kind = f"{type(value).__module__}.{type(value).__qualname__}"
        match value:
            case FunctionType():
                return self._function(value)
            case ModuleType():
                return self._module(value, names)
            case None | bool() | int() | float() | complex() | str() | bytes():
                return f"{kind} {value!r}"
            case tuple() | list():
                return f"{kind} {[self.of(item) for item in value]}"
            case set() | frozenset():
                return f"{kind} {sorted(self.of(item) for item in value)}"
            case np.dtype():
                return repr(value)
            case np.ndarray() | np.generic() if not value.dtype.hasobject:
                layout = (value.dtype, value.shape, value.strides)
                return f"{kind} {layout} {hashlib.sha256(value.tobytes()).hexdigest()}"
            case EnumMeta():
                members = [f"{member.name}={self.of(member.value)}" for member in cast(Any, value)]
                return f"{value.__module__}.{value.__qualname__} {members}"
            case type():
                return f"{value.__module__}.{value.__qualname__}"
            case numba.types.Type() if " at 0x" not in str(value):
                return f"{kind} {value}"
        try:
            return f"{kind} {hashlib.sha256(pickle.dumps(value)).hexdigest()}"
        except Exception as error:
            raise _NotComparableError(kind) from error

    def _function(self, function: FunctionType) -> str:
        code, scope = function.__code__, function.__globals__
        top = (scope.get("__package__") or function.__module__ or "").partition(".")[0]
        module = code.co_filename if function.__module__ == "__main__" else function.__module__
        name = f"{module}.{function.__qualname__}"
        if top in _LIBRARIES:
            return name
        if not os.path.isfile(code.co_filename):
            raise _NotComparableError(name)
        if function in self._open:
            _warn_once(f"{name} is recursive, and numba cannot load that (numba #6061)")
            raise _NotComparableError(name)
        if function not in self._seen:
            self._open.add(function)
            self.files.add(code.co_filename)
            text = [name, *(self.of(cell.cell_contents) for cell in function.__closure__ or ())]
            if self._deep:
                text += [self._code(code, scope), self.of(function.__defaults__)]
            self._seen[function] = _digest(*text)
            self._open.remove(function)
        return self._seen[function]

    def _code(self, code: CodeType, scope: Mapping[str, Any]) -> str:
        constants = [self._code(c, scope) if isinstance(c, CodeType) else self.of(c) for c in code.co_consts]
        outer = [self.of(scope[name], code.co_names) for name in _global_names(code) if name in scope]
        return _digest(repr((code.co_code, code.co_names, code.co_varnames, code.co_freevars)), *constants, *outer)

    def _module(self, module: ModuleType, names: tuple[str, ...]) -> str:
        if module.__name__.partition(".")[0] in _LIBRARIES:
            return module.__name__
        if (module, names) not in self._seen:
            self._seen[module, names] = module.__name__  # for modules that hold each other
            held = [self.of(vars(module)[name], names) for name in names if name in vars(module)]
            self._seen[module, names] = _digest(module.__name__, *held)
        return self._seen[module, names]


@functools.cache
def _global_names(code: CodeType) -> list[str]:
    return sorted({step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")})


@functools.cache
def _source_digest(file: str) -> str:
    """Digest of a source file as it is when first asked for."""
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


def _digest(*text: str) -> str:
    return hashlib.sha256(repr(text).encode()).hexdigest()


@contextmanager
def _out_of_the_way() -> Iterator[None]:
    """The cache never stops a kernel: on any trouble it is compiled, or stays in memory."""
    try:
        yield
    except OSError:
        pass  # no such file, no permission, no space
    except Exception as error:
        _warn_once(f"numba's private interface is not the known one ({error!r})")


def _warn_once(reason: str) -> None:
    global _warned
    if not _warned:
        _warned = True
        warnings.warn(f"compiled kernels are not kept on disk: {reason}", RuntimeWarning, stacklevel=2)


_warned = False
try:
    from numba.core.bytecode import FunctionIdentity
    from numba.core.caching import CompileResultCacheImpl
    from numba.core.serialize import dumps

    # numba numbers functions from 1 in every process and puts the number into the names of machine code symbols. So
    # code kept by two processes shares names, and a process that loads both runs one function in place of another
    # (#10486). Random numbers keep them apart.
    next(FunctionIdentity._unique_ids)
    FunctionIdentity._unique_ids = iter(lambda: secrets.randbits(64), None)
    _CACHE_WORKS = True
except (ImportError, AttributeError, TypeError) as error:
    _CACHE_WORKS = False
    _warn_once(f"numba's private interface is not the known one ({error})")
