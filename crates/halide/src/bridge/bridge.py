"""The questions of halidom to an installed Halide: `JOB FOLDER [NAME=VALUE…]`. `script` is the path
of the script, `target` is Halide's target, and `library` is the C++ side of the bridge.

`where` prints the folder of the package, and of the C++ side if it comes compiled.

`compile` writes the pipeline, `pipeline.hlpipe`, and its final statement: as Halide prints it,
`final.stmt`, and without loss, `final.dump`, by `library`. With HL_DEBUG_CODEGEN=2 Halide writes
the statement after every pass on standard error, below the line MARK. The pipeline is that of
`script`; without a script it is read from `pipeline.hlpipe`. `factored.txt` exists if the script
factors a reduction, and `target.txt` if the script or `target` names a target. `compile-object`
writes `pipeline.o` too, and the name of its function to `pipeline.o.name`.

`specify` writes `specification.hlpipe`: the pipeline of `script` with no directive of a schedule
applied.

`run` reads `case.json` (parameters by name; the least coordinates of inputs by name, and of outputs
in order), `input.NAME.npy` and `output.N.npy`, runs the compiled code and writes `output.N.npy`
anew. If there are folders `case_*`, it does so in each of them, and writes `done.txt` if no entry
check fails. The last axis of a file is the first dimension of a buffer. `call` does the same with
`pipeline.o`, the object file of a generator.

If the script gives a name to several things, `compile` writes these names to `doubled.json`, and
the pipeline may be used only if `tell-apart` finds no fault.

`each-settle`, `each-specify` and `each-run` go through the folders of a folder, with `script.py` of
each. `settle` compiles a script, whose directives stand below the line SCHEDULE, and removes
directives while Halide refuses it. A folder that was begun has `JOB.begun`, and is passed over: a
crash ends one folder's job, and the next call goes on.

Errors are written to `error.json`: whose fault it is (`halide`, `script`), in words, and the line
of the script.
"""

import importlib.metadata
import importlib.util
import itertools
import json
import re
import signal
import sys
import traceback
import weakref
from pathlib import Path

VERSIONS = ("21.0.0", "19.0.0")
# Limits for one folder in seconds: processor time, wall time.
SECONDS = 20
PATIENCE = 120
MARK = "halidom: what follows is of the pipeline"
SCHEDULE = "    # The schedule."
# Directives that return another func or stage; calls on the result do not affect the pipeline.
OTHERS = {"rfactor", "in_", "clone_in", "specialize"}
# Members of a func or a stage that are no directives.
OTHER_METHODS = {
    "args", "defined", "define_extern", "dimensions", "extern_function_name",
    "has_update_definition", "is_extern", "name", "num_update_definitions", "output_buffer",
    "output_buffers", "outputs", "realize", "rvars", "type", "types", "update", "update_args",
    "update_value", "update_values", "value", "values",
}
OTHER_PREFIXES = ("_", "compile_", "infer_", "print_")


class Fault(Exception):
    """Something that a person has to mend; `script` is at fault."""


class Nothing:
    """The result of a directive that is not applied: every operation on it does nothing."""

    def __getattr__(self, name):
        return lambda *args, **named: self


def directives(halide):
    """The directives, as methods of classes."""
    for kind in (halide.Func, halide.Stage):
        for name in dir(kind):
            if not name.startswith(OTHER_PREFIXES) and name not in OTHER_METHODS:
                yield kind, name


def without_schedule(halide):
    """Lets every directive do nothing."""
    nothing = Nothing()
    for kind, name in list(directives(halide)):
        if name in OTHERS:
            setattr(kind, name, lambda self, *args, **named: nothing)
        else:
            setattr(kind, name, lambda self, *args, **named: self)
    halide.ImageParam.in_ = lambda self, *args: nothing


def noting_places(halide, made):
    """Returns the result of `made`, and the places that define and schedule funcs. A definition has
    no directive."""
    places = []

    def noting(kind, name, directive):
        method = getattr(kind, name)

        def called(self, *args, **named):
            result = method(self, *args, **named)
            frame = sys._getframe(1)
            file, line = frame.f_code.co_filename, frame.f_lineno
            # The name of a stage begins with that of its func.
            func = self.name().split(".")[0]
            places.append({"func": func, "directive": directive, "file": file, "line": line})
            return result

        setattr(kind, name, called)
        return kind, name, method

    noted = [noting(kind, name, name) for kind, name in list(directives(halide))]
    noted.append(noting(halide.Func, "__setitem__", None))
    try:
        return made(), places
    finally:
        for kind, name, method in noted:
            setattr(kind, name, method)


def factoring(halide, made):
    """Returns the result of `made`, and True if a reduction was factored: that changes the
    pipeline's definitions."""
    factor = halide.Stage.rfactor
    seen = []

    def noting(self, *args, **named):
        seen.append(self)
        return factor(self, *args, **named)

    halide.Stage.rfactor = noting
    try:
        return made(), bool(seen)
    finally:
        halide.Stage.rfactor = factor


# The largest array that is compared with another one of its name, in bytes.
SMALL = 1 << 20
# The end of a name that `tell-apart` gives.
OWN = re.compile(r"_its_own_\d{6}_")
# The names of variables that Halide makes by itself.
IMPLICIT = re.compile(r"_\d*")
# The names of arrays without a name, which Halide numbers together with its own variables.
OWN_VARIABLE = re.compile(r"b\d+")
# The file with the names that a script gives to several things.
DOUBLED = "doubled.json"
# Functions that make a func of a reduction over an expression.
REDUCTIONS = ("sum", "product", "maximum", "minimum", "argmax", "argmin")


def noting_names(halide, made):
    """Returns the result of `made`, which runs a script, and the names that it gives to several
    things. Halide compares variables by their names alone, already where a definition is made.
    Nothing that it keeps tells that the script meant two things by one name."""
    result, objects, reductions = naming(halide, made, ())
    for name, kinds in objects.items():
        if IMPLICIT.fullmatch(name) and set(kinds) != {halide.Var}:
            raise same_name(name)
    doubled = [name for name, kinds in objects.items() if may_be_several(halide, kinds, reductions)]
    return result, doubled


def same_name(name):
    """The fault of a script that may mean two things by one name."""
    return Fault(
        f"several things are called `{name}`, and Halide may take them for one: give them "
        "different names"
    )


def taken_name(name):
    """The fault of a script that names an array like one of Halide's own variables."""
    return Fault(
        f"the array `{name}` may be taken for a variable of Halide's own: give it another name"
    )


def may_be_several(halide, kinds, reductions):
    """Tests whether the things of one name, by kinds, may be different things in one pipeline."""
    several = len(kinds) > 1
    several |= any(len(kinds.get(kind, [])) > 1 for kind in (halide.Param, halide.ImageParam))
    arrays = kinds.get(halide.Buffer, [])
    several |= len(arrays) > 1 and not all_alike(halide, arrays)
    # Two domains are in one definition only if one of them is reduced in it.
    return several or len(kinds.get(halide.RDom, [])) > 1 and bool(reductions)


def tell_apart(halide, folder, options):
    """Raises a fault if two things of one name may be in the pipeline. A script may make several
    pipelines, and use a name for one thing in each. So it runs again and gives each of these things
    a name of its own: the pipeline's file has the names of all that it uses."""
    doubled = json.loads((folder / DOUBLED).read_text())
    path = folder / "apart.hlpipe"
    made = lambda: defined(halide, Path(options["script"]).resolve())
    try:
        (pipeline, _), objects, _ = naming(halide, made, doubled)
        serialize(halide, pipeline, path, options)
    except (Exception, SystemExit):
        # The script depends on the names.
        raise same_name(doubled[0]) from None
    kept = path.read_bytes()
    found = [OWN.sub("", name) for name in objects if name.encode() in kept]
    for name in doubled:
        if found.count(name) > 1:
            raise same_name(name)


def naming(halide, made, doubled):
    """Returns the result of `made`, the things that it makes by their names and kinds, and the
    reductions that it uses. Each thing with a doubled name gets a name of its own; variables of one
    name are one thing. Only small arrays are held."""
    objects = {}
    reductions = []
    count = itertools.count(1)
    # The names of a domain's variables begin with its own.
    names = {part for name in doubled for part in (name, name.split("$")[0])}

    def is_doubled(name):
        return isinstance(name, str) and name in names

    def noting(kind):
        begin = kind.__init__

        def marked(args, named):
            for name in [*args, *named.values()] if kind is halide.Buffer else []:
                if isinstance(name, str) and OWN_VARIABLE.fullmatch(name):
                    raise taken_name(name)
            mark = f"_its_own_{0 if kind is halide.Var else next(count):06}_"
            own = lambda value: value + mark if is_doubled(value) else value
            return [own(value) for value in args], {key: own(named[key]) for key in named}

        def called(self, *args, **named):
            args, named = marked(args, named)
            begin(self, *args, **named)
            # Halide ends the process if it is asked for the name of a buffer without elements.
            is_named = hasattr(self, "name") and (kind is not halide.Buffer or self.defined())
            named_by = [self] if is_named else []
            if kind is halide.RDom:
                named_by = [self[index] for index in range(self.dimensions())]
            note(self, named_by)

        def note(self, named_by):
            is_small = kind is halide.Buffer and self.defined() and self.size_in_bytes() <= SMALL
            held = (lambda: self) if is_small else weakref.ref(self)
            for found in named_by:
                objects.setdefault(found.name(), {}).setdefault(kind, []).append(held)

        def renamed(self, name):
            (name,), _ = marked([name], {})
            set_name(self, name)
            note(self, [self])

        def making(make):
            def made_by(*args, **named):
                args, named = marked(args, named)
                made = make(*args, **named)
                note(made, [made])
                return made

            return staticmethod(made_by)

        replace(kind, "__init__", called)
        if hasattr(kind, "set_name"):
            set_name = kind.set_name
            replace(kind, "set_name", renamed)
        for name in dir(kind):
            if name.startswith("make_"):
                replace(kind, name, making(getattr(kind, name)))

    def replace(owner, name, method):
        noted.append((owner, name, vars(owner).get(name)))
        setattr(owner, name, method)

    def noting_use(name):
        reduce = getattr(halide, name)

        def called(*args, **named):
            reductions.append(name)
            return reduce(*args, **named)

        replace(halide, name, called)

    kinds = (halide.Var, halide.RDom, halide.Param, halide.ImageParam, halide.Buffer)
    # What is replaced: its owner, its name, and what stood there itself.
    noted = []
    for kind in kinds:
        noting(kind)
    for name in REDUCTIONS:
        noting_use(name)
    try:
        return made(), objects, reductions
    finally:
        for owner, name, own in noted:
            if own is None:
                delattr(owner, name)
            else:
                setattr(owner, name, own)


def all_alike(halide, arrays):
    """Tests whether arrays still exist and have the same elements at the same places."""
    def seen(array):
        view = memoryview(array)
        mins = [array.dim(number).min() for number in range(array.dimensions())]
        return view.format, view.shape, mins, view.tobytes()

    try:
        # What no longer exists is None, which is no array.
        first, *others = [seen(found()) for found in arrays]
        return all(other == first for other in others)
    except (AttributeError, TypeError, ValueError, BufferError, halide.HalideError):
        return False


def scripted(halide, path, folder):
    """The pipeline that a script defines, and the target that it names."""
    result, doubled = noting_names(halide, lambda: defined(halide, path))
    if doubled:
        (folder / DOUBLED).write_text(json.dumps(doubled))
    return result


def defined(halide, path):
    """Runs a script; see `scripted`."""
    sys.path.insert(0, str(path.parent))
    sys.argv = [str(path)]
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None:
        raise Fault("it is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    if not callable(getattr(module, "pipeline", None)):
        raise Fault("it does not define `pipeline()`")
    made = module.pipeline()
    target = getattr(module, "target", None)
    if isinstance(made, halide.Pipeline):
        return made, target
    outputs = list(made) if isinstance(made, (list, tuple)) else [made]
    if not outputs or not all(isinstance(output, halide.Func) for output in outputs):
        raise Fault(
            f"`pipeline()` returns {made!r}, which is no `halide.Func`, no list of them and no "
            "`halide.Pipeline`"
        )
    undefined = [output.name() for output in outputs if not output.defined()]
    if undefined:
        raise Fault(f"`pipeline()` returns the func `{undefined[0]}`, which has no definition")
    return halide.Pipeline(outputs), target


def deserialized(halide, path):
    """The pipeline of a file. None if Python has no function for it, as in 19.0.0: then the C++
    side reads the file. If constraints of outputs mention inputs, Halide needs these inputs
    beforehand, as they stand in the file."""
    if not hasattr(halide, "deserialize_pipeline"):
        return None
    try:
        return halide.deserialize_pipeline(path)
    except halide.HalideError as error:
        if "unknown parameter" not in str(error):
            raise
        return halide.deserialize_pipeline(path, halide.deserialize_parameters(path))


def pipeline_of(halide, folder, options):
    """The pipeline, and the target if one is named."""
    target = options.get("target")
    if "script" not in options:
        return deserialized(halide, str(folder / "pipeline.hlpipe")), target
    pipeline, own = scripted(halide, Path(options["script"]).resolve(), folder)
    return pipeline, target or own


def compile_pipeline(halide, folder, options):
    made = lambda: noting_places(halide, lambda: pipeline_of(halide, folder, options))
    ((pipeline, target), places), factored = factoring(halide, made)
    if factored:
        (folder / "factored.txt").touch()
    if "script" in options:
        (folder / "places.json").write_text(json.dumps(places))
        serialize(halide, pipeline, folder / "pipeline.hlpipe", options)
    if target:
        (folder / "target.txt").write_text(str(target))
    print(MARK, file=sys.stderr, flush=True)
    lower(halide, pipeline, str(target or ""), folder, options)


def serialize(halide, pipeline, path, options):
    """Writes a pipeline file. The Python of 19.0.0 has no function for it."""
    if hasattr(halide, "serialize_pipeline"):
        halide.serialize_pipeline(pipeline, str(path))
    else:
        native(halide, "halidom_serialize", pipeline, [str(path)], options)


def native(halide, name, pipeline, words, options):
    """Calls a function of the C++ side with a pipeline."""
    from ctypes import CDLL, c_char_p, c_size_t, c_void_p, create_string_buffer

    address, outputs = (None, "") if pipeline is None else place_of(halide, pipeline)
    answer = create_string_buffer(1 << 16)
    function = getattr(CDLL(options["library"]), name)
    function.argtypes = [c_void_p, c_char_p] + [c_char_p] * len(words) + [c_char_p, c_size_t]
    encoded = [word.encode() for word in words]
    if function(address, outputs.encode(), *encoded, answer, len(answer)) != 0:
        raise halide.HalideError(answer.value.decode(errors="replace"))


def place_of(halide, pipeline):
    """The address of a pipeline's C++ object, and the names of its outputs, by which the C++ side
    checks the address."""
    from ctypes import c_uint8, c_void_p

    # An object of pybind11 begins with the reference count and the type. Then comes the address of
    # the C++ object, if the layout is the simple one: a bit after three pointers and one more
    # tells.
    simple = type(pipeline) is halide.Pipeline and c_uint8.from_address(id(pipeline) + 48).value & 2
    if not simple:
        raise halide.HalideError("the pipeline is not where Python keeps it")
    address = c_void_p.from_address(id(pipeline) + 16).value
    return address, "".join("\n" + output.name() for output in pipeline.outputs())


def lower(halide, pipeline, target, folder, options):
    """Writes the statement that `compile_to_conceptual_stmt` writes, in both forms. Both come from
    one compile, because names that Halide makes up change from one compile to the next. With
    `object`, writes its code too."""
    file = str(folder / "pipeline.hlpipe") if pipeline is None else ""
    paths = [str(folder / name) for name in ("final.stmt", "final.dump")]
    paths.append(str(folder / "pipeline.o") if "object" in options else "")
    native(halide, "halidom_compile", pipeline, [file, target, *paths], options)


def compile_object(halide, folder, options):
    compile_pipeline(halide, folder, {**options, "object": "yes"})


def specify(halide, folder, options):
    without_schedule(halide)
    pipeline, _ = pipeline_of(halide, folder, options)
    serialize(halide, pipeline, folder / "specification.hlpipe", options)


def settle(halide, folder, options):
    path = folder / "script.py"
    while True:
        try:
            compile_pipeline(halide, folder, options)
        except Exception as error:
            lines = path.read_text().split("\n")
            begin = lines.index(SCHEDULE) + 1
            ends = ("    return", "    made")
            end = next(at for at in range(begin, len(lines)) if lines[at].startswith(ends))
            if begin == end:
                raise
            # If Halide refuses a directive only during lowering, the culprit is unknown, and the
            # last one goes.
            at = (line_of(error, path) or 0) - 1
            del lines[at if begin <= at < end else end - 1]
            path.write_text("\n".join(lines))
        else:
            if (folder / DOUBLED).exists():
                raise same_name(json.loads((folder / DOUBLED).read_text())[0])
            return


def each(halide, job, folder, options):
    for place in sorted(folder.iterdir()):
        begun = place / f"{job}.begun"
        if begun.exists() or (place / "error.json").exists() or not (place / "script.py").exists():
            continue
        if job == "specify" and not (place / "factored.txt").exists():
            continue
        if job == "run" and not any(place.glob("case_*")):
            continue
        begun.touch()
        # A timer ends the process if it takes too long, in Halide's own code and in compiled code
        # too.
        (folder / "current.txt").write_text(place.name)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        signal.alarm(PATIENCE)
        attempt(halide, job, place, {**options, "script": str(place / "script.py")})


def given(folder):
    """The case: parameters by name, arrays of inputs by name with their least coordinates, and of
    outputs likewise."""
    import numpy

    def placed(file, place):
        array, strides = numpy.load(folder / file), place["strides"]
        if array.size == 0:
            return array, place["mins"]
        last = sum((extent - 1) * stride for extent, stride in zip(reversed(array.shape), strides))
        memory = numpy.zeros(last + 1, dtype=array.dtype)
        steps = [stride * array.itemsize for stride in reversed(strides)]
        view = numpy.lib.stride_tricks.as_strided(memory, shape=array.shape, strides=steps)
        view[...] = array
        return view, place["mins"]

    case = json.loads((folder / "case.json").read_text())
    inputs = {name: placed(f"input.{name}.npy", place) for name, place in case["inputs"].items()}
    outputs = [placed(f"output.{n}.npy", place) for n, place in enumerate(case["outputs"])]
    return case["parameters"], inputs, outputs


def run(halide, folder, options):
    import numpy

    def buffer(array, mins):
        made = halide.Buffer(array)
        if mins:
            made.set_min(mins)
        return made

    pipeline, target = pipeline_of(halide, folder, options)
    if pipeline is None:
        lower(halide, None, str(target or ""), folder, {**options, "object": "yes"})
        return call(folder)
    target = halide.Target(target) if target else halide.get_jit_target_from_environment()
    arguments = pipeline.infer_arguments()
    code = pipeline.compile_to_callable(arguments, target.with_feature(halide.TargetFeature.JIT))
    for place in sorted(folder.glob("case_*")) or [folder]:
        parameters, inputs, outputs = given(place)
        names = [argument.name for argument in arguments]
        values = [buffer(*inputs[n]) if n in inputs else parameters[n] for n in names]
        made = [buffer(*output) for output in outputs]
        try:
            code(*values, *made)
        except halide.HalideError as error:
            if place == folder:
                raise
            continue
        for number, result in enumerate(made):
            result.copy_to_host()
            numpy.save(place / f"output.{number}.npy", numpy.ascontiguousarray(numpy.array(result)))
        (place / "done.txt").touch()


def call(folder):
    import os
    import subprocess

    import numpy

    from ctypes import CDLL, POINTER, Structure, byref, c_char_p, c_int32, c_uint8, c_uint16
    from ctypes import c_uint32, c_uint64, c_void_p, cast

    class HalideType(Structure):
        _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]

    class Dimension(Structure):
        _fields_ = [("min", c_int32), ("extent", c_int32), ("stride", c_int32), ("flags", c_uint32)]

    class Buffer(Structure):
        _fields_ = [
            ("device", c_uint64), ("interface", c_void_p), ("host", c_void_p), ("flags", c_uint64),
            ("type", HalideType), ("dimensions", c_int32), ("dim", POINTER(Dimension)),
            ("padding", c_void_p),
        ]

    class Argument(Structure):
        _fields_ = [
            ("name", c_char_p), ("kind", c_int32), ("dimensions", c_int32), ("type", HalideType),
            ("default", c_void_p), ("min", c_void_p), ("max", c_void_p), ("estimate", c_void_p),
            ("estimates", c_void_p),
        ]

    class Metadata(Structure):
        _fields_ = [
            ("version", c_int32), ("count", c_int32), ("arguments", POINTER(Argument)),
            ("target", c_char_p), ("name", c_char_p),
        ]

    library = folder / "pipeline.so"
    linker = os.environ.get("CC") or "cc"
    words = [linker, "-shared", "-o", str(library), str(folder / "pipeline.o")]
    words += ["-ldl", "-lpthread", "-lm"]
    linked = subprocess.run(words, capture_output=True, text=True, check=False)
    if linked.returncode != 0:
        sys.exit(f"`{linker}` does not link the object file: {linked.stderr.strip()[-300:]}")
    code = CDLL(str(library))
    # A generator's object file has the name that it was asked for; others name their function.
    is_named = hasattr(code, "pipeline_metadata")
    function = "pipeline" if is_named else (folder / "pipeline.o.name").read_text()
    describe = getattr(code, f"{function}_metadata")
    describe.restype = POINTER(Metadata)
    metadata = describe().contents

    parameters, inputs, outputs = given(folder)
    kept = []

    def buffer(array, mins, ty):
        axes = range(array.ndim - 1, -1, -1)
        sides = [
            Dimension(low, array.shape[axis], array.strides[axis] // array.itemsize, 0)
            for low, axis in zip(mins, axes)
        ]
        dims = (Dimension * max(array.ndim, 1))(*sides)
        made = Buffer(0, None, array.ctypes.data, 0, ty, array.ndim, dims, None)
        kept.extend([dims, made])
        return cast(byref(made), c_void_p)

    rest = iter(outputs)
    values = []
    for number in range(metadata.count):
        argument = metadata.arguments[number]
        name = argument.name.decode()
        if argument.kind == 0:
            if name == "__user_context":
                value = numpy.zeros(1, dtype=numpy.uint64)
            else:
                size = max(argument.type.bits, 8) // 8
                kind = {0: "i", 1: "u", 2: "f"}[argument.type.code] + str(size)
                # A parameter that the pipeline does not use has no value.
                value = numpy.array([parameters.get(name, 0)]).astype(kind)
            kept.append(value)
            values.append(c_void_p(value.ctypes.data))
        elif argument.kind == 1:
            shape = [1] * argument.dimensions
            unused = (numpy.zeros(shape, dtype=numpy.uint64), [0] * argument.dimensions)
            values.append(buffer(*inputs.get(name, unused), argument.type))
        else:
            values.append(buffer(*next(rest), argument.type))
    arguments = (c_void_p * len(values))(*values)
    status = getattr(code, f"{function}_argv")(arguments)
    if status != 0:
        sys.exit(f"the compiled code ends with error {status}")
    for number, (array, _) in enumerate(outputs):
        numpy.save(folder / f"output.{number}.npy", numpy.ascontiguousarray(array))


def line_of(error, script):
    """The line of the script in which an error came up."""
    if isinstance(error, SyntaxError) and error.filename and Path(error.filename) == script:
        return error.lineno
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if Path(frame.filename) == script]
    return lines[-1] if lines else None


def attempt(halide, job, folder, options):
    """Does a job for a folder. True if it is done."""
    jobs = {
        "compile": compile_pipeline,
        "compile-object": compile_object,
        "specify": specify,
        "settle": settle,
        "run": run,
        "tell-apart": tell_apart,
    }
    script = Path(options["script"]).resolve() if "script" in options else None
    try:
        jobs[job](halide, folder, options)
    except (Exception, SystemExit) as error:  # A script may raise anything.
        line = line_of(error, script)
        whose = "script" if isinstance(error, Fault) or line is not None else "halide"
        own = isinstance(error, (Fault, halide.HalideError))
        kind = "" if own else f"{type(error).__name__}: "
        words = kind + " ".join(str(error).removeprefix("Error: ").split())
        found = {"whose": whose, "words": words, "line": line}
        (folder / "error.json").write_text(json.dumps(found))
        return False
    return True


def where():
    """Prints the folder of Halide's package, and that of the compiled C++ side in the package
    `halidom`, if it is there. Loads no library, which would take time."""
    print(importlib.util.find_spec("halide").submodule_search_locations[0])
    own = importlib.util.find_spec("halidom")
    places = own.submodule_search_locations or [] if own else []
    compiled = [Path(place) / "bridge" for place in places]
    for place in compiled[:1]:
        print(place if (place / "made-of.txt").is_file() else "")


def main():
    job, folder = sys.argv[1], Path(sys.argv[2])
    options = dict(option.split("=", 1) for option in sys.argv[3:])
    if job == "call":
        return call(folder)
    found = importlib.metadata.version("halide")
    if found not in VERSIONS:
        sys.exit(f"Halide {found} is installed, and what is read is {' or '.join(VERSIONS)}")
    if job == "where":
        return where()
    import halide

    if job.startswith("each-"):
        each(halide, job.removeprefix("each-"), folder, options)
    elif not attempt(halide, job, folder, options):
        sys.exit(1)


main()
