"""Live pipelines of Halide: what its compiler makes of them, in files."""

from __future__ import annotations

import ctypes
import hashlib
import threading
from pathlib import Path
from typing import Any, List, Optional, Sequence

from . import _program
from ._errors import ArgumentError, InputError, MissingTool

#: The version of Halide whose live objects are judged.
SUPPORTED = "21.0.0"

_lock = threading.Lock()
_library: Optional[ctypes.CDLL] = None
_ROOM = 1 << 16


def installed() -> Any:
    """Import Halide; raise :exc:`MissingTool` if it is missing or has another version."""
    from importlib import metadata

    try:
        found = metadata.version("halide")
    except metadata.PackageNotFoundError:
        raise MissingTool(
            f"Halide is not installed: `pip install halide=={SUPPORTED}`"
        ) from None
    if found != SUPPORTED:
        raise MissingTool(
            f"Halide {found} is installed, and live pipelines are read from {SUPPORTED}; "
            "generators and pipeline files of 19.0.0 are judged by `halidom validate`"
        )
    import halide

    return halide


def is_live(thing: object) -> bool:
    """Tell whether something is a Func, a pipeline, or a list of Funcs."""
    kinds = [type(thing)] if not isinstance(thing, (list, tuple)) else [type(one) for one in thing]
    return bool(kinds) and all(kind.__module__.split(".")[0] == "halide" for kind in kinds)


def pipeline_of(thing: Any, outputs: Optional[Sequence[Any]] = None) -> Any:
    """Return the pipeline of a Func, of a list of Funcs, or a pipeline itself."""
    halide = installed()
    if isinstance(thing, halide.Pipeline) and outputs is None:
        return thing
    funcs = list(thing) if isinstance(thing, (list, tuple)) else [thing]
    if outputs is not None:
        funcs = list(outputs)
    for func in funcs:
        if not isinstance(func, halide.Func):
            raise ArgumentError(
                f"`{type(func).__name__}` is no `halide.Func`, no list of them and no "
                "`halide.Pipeline`"
            )
        if not func.defined():
            raise ArgumentError(f"the func `{func.name()}` has no definition")
    if not funcs:
        raise ArgumentError("there is no func to judge")
    return halide.Pipeline(funcs)


def _bridge() -> ctypes.CDLL:
    """The library that writes statements without loss: the package's, or one compiled now."""
    global _library
    with _lock:
        if _library is None:
            # The executable compares what the package carries with the installed Halide.
            path = _program.ask(["bridge"], title="connecting with Halide")["library"]
            try:
                library = ctypes.CDLL(path)
            except OSError as error:
                raise MissingTool(f"the library `{path}` does not load: {error}") from None
            words = [ctypes.c_char_p] * 6
            call = library.halidom_compile
            call.argtypes = [ctypes.c_void_p, *words, ctypes.c_char_p, ctypes.c_size_t]
            _library = library
    return _library


def _place(halide: Any, pipeline: Any) -> int:
    """The address of a pipeline's C++ object; the library compares its outputs with Python's."""
    # An object of pybind11 begins with the reference count and the type. Then comes the address of
    # the C++ object, if the layout is the simple one: a bit after three pointers and one more
    # tells.
    flags = ctypes.c_uint8.from_address(id(pipeline) + 48).value
    if type(pipeline) is not halide.Pipeline or not flags & 2:
        raise InputError("the pipeline is not where Halide's Python package keeps it")
    address = ctypes.c_void_p.from_address(id(pipeline) + 16).value
    return int(address or 0)


def target_of(target: Any) -> str:
    """Return a target in Halide's notation; empty for this machine."""
    if target is None:
        return ""
    if isinstance(target, str):
        return target
    halide = installed()
    if not isinstance(target, halide.Target):
        raise ArgumentError(f"`{type(target).__name__}` is no `halide.Target` and no string")
    if "unknown" in str(target):
        return ""
    # These two change how code is called and reached, and no statement.
    for name in ("JIT", "UserContext"):
        feature = getattr(halide.TargetFeature, name)
        if target.has_feature(feature):
            target = target.without_feature(feature)
    return str(target)


def serialize(pipeline: Any, file: Path) -> None:
    """Write a live pipeline to a file; raise :exc:`InputError` if Halide refuses it."""
    halide = installed()
    try:
        halide.serialize_pipeline(pipeline, str(file))
    except halide.HalideError as error:
        raise InputError(f"Halide does not serialize the pipeline: {error}") from None


def write(pipeline: Any, target: str, folder: Path) -> None:
    """Write what Halide compiles from a live pipeline to a folder, in the form that `halidom
    validate --halide FOLDER` takes: the pipeline, its final statement in both forms, the target.

    Raises :exc:`InputError` if Halide refuses the pipeline.
    """
    halide = installed()
    library = _bridge()
    outputs = "".join("\n" + func.name() for func in pipeline.outputs())
    address = _place(halide, pipeline)
    words = ctypes.create_string_buffer(_ROOM)
    files = [str(folder / name) for name in ("final.stmt", "final.dump")]
    status: List[int] = []

    def compile_now() -> None:
        given = [outputs, "", target, *files, ""]
        encoded = [word.encode() for word in given]
        status.append(library.halidom_compile(address, *encoded, words, _ROOM))

    serialize(pipeline, folder / "pipeline.hlpipe")
    # In a thread of its own, so that Ctrl-C ends the wait.
    worker = threading.Thread(target=compile_now, name="halidom-compile", daemon=True)
    worker.start()
    while worker.is_alive():
        worker.join(0.05)
    if not status or status[0] != 0:
        said = words.value.decode(errors="replace").strip()
        raise InputError(f"Halide does not compile the pipeline: {said}")
    if target:
        (folder / "target.txt").write_text(target)
    # Ties the files together: a folder with files of several compiles is refused.
    names = ["pipeline.hlpipe", "final.stmt", "final.dump", *(["target.txt"] if target else [])]
    digests = [hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names]
    lines = [f"{digest}  {name}\n" for digest, name in zip(digests, names)]
    (folder / "files.sha256").write_text("".join(lines))
