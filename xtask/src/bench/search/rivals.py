"""Time a pipeline under the schedule of one of Halide's autoschedulers, or under its own.

SCRIPT is what `halidom export` writes. Its schedule is left out, unless SCHEDULER is `own`: an
autoscheduler starts from the algorithm. Adams2019 tries several settings until BUDGET seconds are
used up, and the fastest result counts. Prints the seconds that this took and the number of results;
then, for each line of the standard input, runs the pipeline for SECONDS and prints the milliseconds
of the runs, as JSON.
"""

import argparse
import json
import os
import signal
import sys
import time

# The scheduler that leaves the script's own schedule as it is.
OWN = "own"
# The seconds after which a scheduler that has found nothing is given up.
LONGEST = 600
# The settings by which a scheduler learns the number of threads.
THREADS = {"Adams2019": "parallelism", "Li2018": "parallelism", "Mullapudi2016": "parallelism"}


def read(path, is_own):
    """Return the pipeline of a script with its inputs and parameters, without its schedule unless
    that is the one to time."""
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
    if not is_own:
        begin, _, end = text.partition("    # The schedule.\n")
        lines = end.splitlines()
        # The lines of the schedule end where the pipeline is put together.
        ends = ("    made", "    return")
        first = next(n for n, line in enumerate(lines) if line.startswith(ends))
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


def settings(options):
    """Return the settings that are tried, the scheduler's own ones first.

    Adams2019 can search again with other beams and with chance, as the script for autotuning in
    its repository does: most of its samples are greedy, with random decisions.
    """
    if options.scheduler == OWN:
        yield {}
        return
    usual = {THREADS[options.scheduler]: options.threads}
    yield usual
    if options.scheduler != "Adams2019":
        return
    yield {**usual, "beam_size": "64"}
    for seed in range(1, 1000):
        greedy = {"beam_size": "1", "random_dropout": "1"}
        mixed = {"beam_size": "32", "random_dropout": "80"}
        for kind in (greedy, mixed):
            yield {**usual, **kind, "random_dropout_seed": str(seed)}


class Compiled:
    """A pipeline under the schedule that an autoscheduler makes with some settings."""

    def __init__(self, options, given, sizes, used):
        import halide as hl

        target = hl.get_jit_target_from_environment()
        is_own = options.scheduler == OWN
        pipeline, inputs, params = read(options.script, is_own)
        numbers = []
        for name, (param, arguments) in params.items():
            # The time of most programs does not depend on their parameters.
            value = given.get(name, "1")
            number = float(value) if arguments[0].is_float() else int(value)
            numbers.append(number)
            param.set(number)
            param.set_estimate(number)
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
        if not is_own:
            found = hl.AutoschedulerParams(options.scheduler, used)
            pipeline.apply_autoscheduler(target, found)
        # The schedule may read more, and a pipeline keeps what it compiled before.
        pipeline = hl.Pipeline(pipeline.outputs())
        for name in [name for name in inputs if name not in sizes]:
            inputs[name][0].reset()
            bound[name] = None
        infer(pipeline, inputs, bound, outputs, target)
        arguments = [*inputs.values(), *params.values()]
        self.call = pipeline.compile_to_callable([made for made, _ in arguments], target)
        self.values = [*bound.values(), *numbers, *outputs]
        self.call(*self.values)

    def times(self, seconds):
        """Run it for some seconds, and return the milliseconds of each run."""
        times = []
        begin = time.perf_counter()
        while len(times) < 3 or time.perf_counter() - begin < seconds:
            start = time.perf_counter()
            self.call(*self.values)
            times.append(1e3 * (time.perf_counter() - start))
        return times


def fastest(options, given, sizes):
    """Try settings until the budget is used up, and return the fastest and the number tried."""
    begin = time.perf_counter()
    best, least, tried = None, None, 0
    last = begin
    for used in settings(options):
        now = time.perf_counter()
        if best is not None and now - begin + (now - last) / 2 > options.budget:
            break
        last = now
        try:
            made = Compiled(options, given, sizes, used)
        except Exception:
            # With chance, a search may end without a schedule.
            if tried == 0:
                raise
            continue
        tried += 1
        took = min(made.times(0.3))
        if least is None or took < least:
            best, least = made, took
    return best, tried


def main():
    """Run the command."""
    parser = argparse.ArgumentParser()
    parser.add_argument("script")
    parser.add_argument("size", type=shape)
    parser.add_argument("threads")
    parser.add_argument("scheduler")
    parser.add_argument("seconds", type=float)
    parser.add_argument("budget", type=float)
    parser.add_argument("--input", action="append", default=[])
    parser.add_argument("--set", action="append", default=[])
    options = parser.parse_args()
    # Schedulers print to the standard output.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    os.environ["HL_NUM_THREADS"] = options.threads
    import halide as hl

    if options.scheduler != OWN:
        folder = os.path.join(os.path.dirname(hl.__file__), "lib64")
        name = f"libautoschedule_{options.scheduler.lower()}.so"
        hl.load_plugin(os.path.join(folder, name))
    given = dict(pair.split("=") for pair in options.set)
    sizes = dict(pair.split("=") for pair in options.input)
    begin = time.perf_counter()
    # Nothing in Python interrupts a scheduler, but the signal ends the process.
    signal.alarm(LONGEST)
    best, tried = fastest(options, given, sizes)
    signal.alarm(0)
    print(json.dumps([time.perf_counter() - begin, tried]), file=answers, flush=True)
    for _ in sys.stdin:
        print(json.dumps(best.times(options.seconds)), file=answers, flush=True)


if __name__ == "__main__":
    sys.exit(main())
