"""Collects the pipelines that an unedited Python program compiles.

`collect.py list FOLDER FILE [ARGUMENT…]` runs FILE in FOLDER, and wraps every method of `Func` and
`Pipeline` that compiles. It prints a line `NUMBER TAB TARGET` for each different pipeline, at most
MOST. If FILE ends with an error, the last line is `error TAB WORDS`; `dropped TAB COUNT` counts
pipelines beyond MOST. With arguments, FILE is a program of Python generators, and its pipeline is
the one that it passes to Halide.

A script of halidom calls `only(FOLDER, FILE, ARGUMENTS, NUMBER)`, which runs the program up to the
pipeline of that number and returns it. The pipeline then still has the constraints of its inputs,
and halidom can run the program again without its schedule, which shows the definitions before
`rfactor`.
"""

import ast
import contextlib
import hashlib
import io
import os
import re
import runpy
import sys
import tempfile
import types
from pathlib import Path

MOST = 12
# The methods that compile. Those whose name begins with `compile_to` compile too.
COMPILING = {"realize", "compile_jit", "infer_input_bounds"}
# Features of a target that speak of the call and not of the code.
CALLS = ("jit", "user_context")

# The errors that ended programs. Each holds the frames of its program: a buffer does not own the
# array below it.
KEPT = []


# What the bridge adds to names where it tells things of one name apart. The number of a pipeline
# does not depend on it.
MARKS = re.compile(rb"_its_own_\d{6}_")


class Found(BaseException):
    """Ends a program at the wanted pipeline. It is no `Exception`, which a program may catch."""


class Collector:
    """The different pipelines that a program compiles, each with its target."""

    def __init__(self, halide, wanted=None):
        self.halide = halide
        self.wanted = wanted
        self.pipelines = []
        self.seen = set()
        self.dropped = 0
        # A method that compiles may call another one.
        self.depth = 0

    def take(self, pipeline, target):
        key = self.key(pipeline, target)
        if key in self.seen:
            return
        self.seen.add(key)
        if len(self.pipelines) == MOST:
            self.dropped += 1
            return
        self.pipelines.append((pipeline, target))
        if len(self.pipelines) == self.wanted:
            raise Found

    def key(self, pipeline, target):
        """Two pipelines are the same if their files and targets are."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "pipeline.hlpipe")
            try:
                self.halide.serialize_pipeline(pipeline, str(path))
                return hashlib.sha256(MARKS.sub(b"", path.read_bytes())).hexdigest(), target
            except self.halide.HalideError:
                return id(pipeline), target

    @contextlib.contextmanager
    def wrapped(self):
        """Wraps every method that compiles, and unwraps it in the end."""
        originals = []
        for kind in (self.halide.Func, self.halide.Pipeline):
            for name in dir(kind):
                if name in COMPILING or name.startswith("compile_to"):
                    originals.append((kind, name, getattr(kind, name)))
        for kind, name, original in originals:
            setattr(kind, name, self.wrapper(original))
        try:
            yield
        finally:
            for kind, name, original in originals:
                setattr(kind, name, original)

    def wrapper(self, original):
        def compiling(self_, *args, **named):
            if self.depth == 0 and self.is_whole(self_):
                kind = self.halide.Pipeline
                pipeline = self_ if isinstance(self_, kind) else kind(self_)
                self.take(pipeline, self.target_of([*args, *named.values()]))
            self.depth += 1
            try:
                return original(self_, *args, **named)
            finally:
                self.depth -= 1

        return compiling

    def is_whole(self, subject):
        """Halide refuses what is not defined, and its own words are the better ones."""
        outputs = subject.outputs() if isinstance(subject, self.halide.Pipeline) else [subject]
        return bool(outputs) and all(output.defined() for output in outputs)

    def target_of(self, values):
        """The target that a call names, in Halide's words; `host` stands for this machine."""
        named = [value for value in values if isinstance(value, self.halide.Target)]
        for value in values:
            if isinstance(value, (list, tuple)):
                named += [part for part in value if isinstance(part, self.halide.Target)]
        known = [target for target in named if str(target).split("-")[0] != "arch_unknown"]
        return words_of(self.halide, known[0]) if known else "host"


def words_of(halide, target):
    """A target in Halide's words, without what speaks of the call. This machine is `host`."""
    words = [word for word in str(target).split("-") if word not in CALLS]
    host = [word for word in str(halide.get_host_target()).split("-") if word not in CALLS]
    if all(word in words for word in host):
        return "-".join(["host", *(word for word in words if word not in host)])
    return "-".join(words)


def generated(halide, collector):
    """Lets the Python generators of a program hand over each pipeline. Halide applies
    autoschedulers to it afterwards."""
    from halide import _generator_helpers

    build = _generator_helpers.Generator._build_pipeline
    made = []

    def building(self):
        pipeline = build(self)
        made.append((pipeline, words_of(halide, self.target())))
        return pipeline

    _generator_helpers.Generator._build_pipeline = building
    collector.made = made


class Unasserted(ast.NodeTransformer):
    """Evaluates the conditions of assertions, and lets them fail: while Halide is asked for its
    passes, it prints other text than a test expects."""

    def visit_Assert(self, node):
        return ast.copy_location(ast.Expr(node.test), node)


def execute(file):
    """Runs a program as the main module."""
    tree = ast.fix_missing_locations(Unasserted().visit(ast.parse(file.read_bytes(), str(file))))
    own, main = sys.modules["__main__"], types.ModuleType("__main__")
    main.__file__ = str(file)
    sys.modules["__main__"] = main
    try:
        exec(compile(tree, str(file), "exec"), main.__dict__)
    finally:
        sys.modules["__main__"] = own


def run(halide, collector, folder, file, arguments):
    """Runs a program, and returns the words of its error if there is one."""
    file = Path(file).resolve()
    folder = Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    before = os.getcwd(), sys.argv, list(sys.path)
    os.chdir(folder)
    sys.argv = [str(file), *arguments]
    # Tests of Halide's Python import generators that lie beside them.
    sys.path[:0] = [str(file.parent), str(file.parent.parent / "generators")]
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            if arguments:
                runpy.run_path(str(file), run_name="__main__")
            else:
                with collector.wrapped():
                    execute(file)
    except Found as found:
        KEPT.append(found)
        return None
    except SystemExit as error:
        return None if not error.code else f"exit {error.code}"
    except BaseException as error:
        return f"{type(error).__name__}: " + " ".join(str(error).split())[:300]
    finally:
        os.chdir(before[0])
        sys.argv, sys.path[:] = before[1], before[2]
    return None


def collect(folder, file, arguments, wanted=None):
    import halide

    collector = Collector(halide, wanted)
    if arguments:
        generated(halide, collector)
    error = run(halide, collector, folder, file, arguments)
    for pipeline, target in getattr(collector, "made", []):
        with contextlib.suppress(Found):
            collector.take(pipeline, target)
    return collector, error


def only(folder, file, arguments, number):
    """The pipeline of that number among those that a program compiles."""
    collector, error = collect(folder, file, arguments, number)
    if len(collector.pipelines) < number:
        raise ValueError(f"{file} compiles no pipeline {number}: {error or 'it ends before'}")
    return collector.pipelines[number - 1][0]


def main():
    job, folder, file, *arguments = sys.argv[1:]
    if job != "list":
        sys.exit(f"there is no job `{job}`")
    collector, error = collect(folder, file, arguments)
    for number, (_, target) in enumerate(collector.pipelines, 1):
        print(f"{number}\t{target}")
    if collector.dropped:
        print(f"dropped\t{collector.dropped}")
    if error:
        print(f"error\t{error}")


if __name__ == "__main__":
    main()
