"""Time a pipeline under the schedule of one of Halide's autoschedulers.

SCRIPT is what `halidom export` writes. Its schedule is left out: the autoscheduler starts from the
algorithm. Prints the seconds that the autoscheduler took; then, for each line of the standard
input, runs the pipeline for a while and prints the milliseconds of the runs, as JSON.
"""

import argparse
import json
import os
import sys
import time

# The settings by which a scheduler learns the number of threads.
THREADS = {"Adams2019": "parallelism", "Li2018": "parallelism", "Mullapudi2016": "parallelism"}


def read(path):
    """Return the pipeline of a script without its schedule, with its inputs and parameters."""
    import halide as hl

    inputs, params = {}, {}

    def recorded(kind, known):
        def make(*arguments):
            made = kind(*arguments)
            known[arguments[-1]] = (made, arguments)
            return made
        return make

    with open(path, encoding="utf-8") as file:
        text = file.read()
    begin, _, end = text.partition("    # The schedule.\n")
    lines = end.splitlines()
    # The lines of the schedule end where the pipeline is put together.
    first = next(n for n, line in enumerate(lines) if line.startswith(("    made", "    return")))
    text = begin + "\n".join(lines[first:]) + "\n"
    names = {}
    real = hl.ImageParam, hl.Param
    hl.ImageParam, hl.Param = recorded(real[0], inputs), recorded(real[1], params)
    exec(compile(text, path, "exec"), names)
    made = names["pipeline"]()
    hl.ImageParam, hl.Param = real
    pipeline = made if isinstance(made, hl.Pipeline) else hl.Pipeline(made)
    return pipeline, inputs, params


def fill(buffer):
    """Fill a buffer with random numbers."""
    import numpy

    random = numpy.random.default_rng(1)
    array = numpy.asarray(buffer)
    if array.dtype.kind == "f":
        array[...] = random.random(array.shape, dtype=array.dtype)
    else:
        array[...] = random.integers(0, numpy.iinfo(array.dtype).max, array.shape)


def infer(pipeline, inputs, bound, outputs, target):
    """Make buffers for the inputs that have none."""
    if None not in bound.values():
        return
    pipeline.infer_input_bounds(outputs if len(outputs) > 1 else outputs[0], target=target)
    for name, (param, _) in inputs.items():
        if bound[name] is None:
            bound[name] = param.get()
            fill(bound[name])


def shape(text):
    """Read a size such as 640x480x3."""
    return [int(part) for part in text.split("x")]


def main():
    """Run the command."""
    parser = argparse.ArgumentParser()
    parser.add_argument("script")
    parser.add_argument("size", type=shape)
    parser.add_argument("threads")
    parser.add_argument("scheduler")
    parser.add_argument("seconds", type=float)
    parser.add_argument("--input", action="append", default=[])
    parser.add_argument("--set", action="append", default=[])
    options = parser.parse_args()
    os.environ["HL_NUM_THREADS"] = options.threads
    import halide as hl

    target = hl.get_jit_target_from_environment()
    pipeline, inputs, params = read(options.script)
    given = dict(pair.split("=") for pair in options.set)
    numbers = []
    for name, (param, arguments) in params.items():
        # The time of most programs does not depend on their parameters.
        value = given.get(name, "1")
        number = float(value) if arguments[0].is_float() else int(value)
        numbers.append(number)
        param.set(number)
        param.set_estimate(number)
    sizes = dict(given.split("=") for given in options.input)
    bound = {}
    for name, (param, arguments) in inputs.items():
        bound[name] = None
        if name in sizes:
            bound[name] = hl.Buffer(arguments[0], shape(sizes[name]))
            fill(bound[name])
            param.set(bound[name])
    outputs = [hl.Buffer(kind, options.size) for func in pipeline.outputs()
               for kind in func.types()]
    infer(pipeline, inputs, bound, outputs, target)
    for name, (param, _) in inputs.items():
        of = bound[name]
        param.set_estimates([(of.dim(at).min(), of.dim(at).extent())
                             for at in range(of.dimensions())])
    for func in pipeline.outputs():
        func.set_estimates([(0, extent) for extent in options.size])
    folder = os.path.join(os.path.dirname(hl.__file__), "lib64")
    hl.load_plugin(os.path.join(folder, f"libautoschedule_{options.scheduler.lower()}.so"))
    settings = {THREADS[options.scheduler]: options.threads}
    begin = time.perf_counter()
    pipeline.apply_autoscheduler(target, hl.AutoschedulerParams(options.scheduler, settings))
    scheduled = time.perf_counter() - begin
    # The schedule may read more.
    for name in [name for name in inputs if name not in sizes]:
        inputs[name][0].reset()
        bound[name] = None
    infer(pipeline, inputs, bound, outputs, target)
    arguments = [*inputs.values(), *params.values()]
    run = pipeline.compile_to_callable([made for made, _ in arguments], target)
    values = [*bound.values(), *numbers, *outputs]
    run(*values)
    print(json.dumps(scheduled), flush=True)
    for _ in sys.stdin:
        times = []
        begin = time.perf_counter()
        while len(times) < 3 or time.perf_counter() - begin < options.seconds:
            start = time.perf_counter()
            run(*values)
            times.append(1e3 * (time.perf_counter() - start))
        print(json.dumps(times), flush=True)


if __name__ == "__main__":
    sys.exit(main())
