"""Times the C of public.atl's derivations, and the code that `halidom build` makes of them, beside
the C of ATL's public repository.

    public.py FOLDER SIZES     calls the libraries that exist in FOLDER, and prints medians as JSON:
                               scheduling/NAME.so and lowering/NAME.so with NAME.h, the repository's
                               two libraries; certified/NAME.so with NAME.c, the C of certificates;
                               compiled/NAME.so. SIZES is `full`, or `small` for a quick try.

All forms of a function get the same input and are called in turn in one process; the time of a form
is the median over the rounds. The repository's code adds to an output of zeros, which this program
clears before each call, outside of the time.
"""

import ctypes
import json
import os
import random
import re
import statistics
import sys
import time

from speed import Array, distance

ROUNDS = 15
WARM = 2
# Longer rounds are left out after so many seconds for one function, but for the first five.
PATIENCE = 6.0
FORMS = ["certified", "compiled", "scheduling", "lowering"]


class Program:
    """What the functions of one program get, under our names: sizes, inputs, the output's shape;
    and our names of the repository's parameters."""

    def __init__(self, sizes, inputs, output, theirs):
        self.sizes, self.inputs, self.output, self.theirs = sizes, inputs, output, theirs
        self.arrays = None

    def filled(self):
        """The inputs' arrays. All functions of the program get the same."""
        if self.arrays is None:
            draw = random.Random(1).random
            self.arrays = {name: Array("f", shape, draw) for name, shape in self.inputs.items()}
        return self.arrays


def picture(side):
    inputs = {"v": [side, side]}
    theirs = {"n": "n", "N": "n", "m": "m", "M": "m", "v": "v", "l": "v"}
    return Program({"n": side, "m": side}, inputs, [side, side], theirs)


def inner(side):
    whole = picture(side)
    return Program(whole.sizes, whole.inputs, [side - 2, side - 2], whole.theirs)


def row(side):
    whole = picture(side)
    return Program(whole.sizes, {"v": [side * side]}, [side * side], whole.theirs)


def shift(count):
    theirs = {"n": "n", "m": "m", "c": "c"}
    return Program({"n": count, "m": count}, {"c": [count]}, [count], theirs)


def scatter(count):
    # The repository's code reads a weight for each pair of places, so there are as many.
    theirs = {"W": "w", "R2": "r", "RR": "r", "x": "x", "w": "wt"}
    return Program({"w": count, "r": count}, {"x": [count], "wt": [count]}, [count], theirs)


def windows(count, width):
    theirs = {"K": "k", "W": "w", "RR": "r", "A": "k", "B": "r", "x": "x", "w": "wt"}
    sizes = {"k": count, "w": count, "r": width}
    return Program(sizes, {"wt": [count, width], "x": [count]}, [count, count], theirs)


def matrices(side):
    theirs = {"A": "n", "C": "m", "B": "p", "m1": "a", "m2": "b"}
    inputs = {"a": [side, side], "b": [side, side]}
    return Program({"n": side, "m": side, "p": side}, inputs, [side, side], theirs)


def tensors(side):
    theirs = {"A": "n1", "C": "n2", "B": "n3", "D": "n4", "m1": "x", "m2": "y"}
    sizes = {"n1": side, "n2": side, "n3": side, "n4": side}
    return Program(sizes, {"x": [side] * 4, "y": [side] * 4}, [side] * 4, theirs)


def programs(small):
    """The program of each function. The sizes are alike in all dimensions: two functions of the
    repository take one for the other."""
    blur = picture(150 if small else 2000)
    middle = inner(150 if small else 2000)
    copies = picture(140 if small else 2000)
    pairs = scatter(100 if small else 4000)
    windowed = windows(60, 10) if small else windows(1000, 64)
    products = matrices(30 if small else 256)
    elements = tensors(6 if small else 40)
    blurs = ["blurtwo", "blurtwopart", "blurim", "blurpart", "blurisolate", "blurtiles"]
    found = {name: blur for name in blurs}
    found |= {name: middle for name in ["fusion_nb", "tile_nb"]}
    found |= {f"concattest{number}": copies for number in [0, 1, 2, 3, 5]}
    found["concattest4"] = row(140 if small else 2000)
    found["conv1"] = shift(40 if small else 200)
    found["conv4"] = shift(1000 if small else 4_000_000)
    found |= {name: pairs for name in ["scatter", "gather"]}
    found |= {name: windowed for name in ["im2col", "im2collifted"]}
    found |= {name: products for name in ["matmul", "matmul_tiled", "matmul_tiled_split"]}
    found |= {name: elements for name in ["tensoradd", "tensoradd_split"]}
    return found


def parameters(text, name):
    """The names of the parameters of a function of C."""
    found = re.search(rf"\b{name}\((.*?)\)", text, re.DOTALL)
    return [part.replace("*", " ").split()[-1] for part in found[1].split(",")]


class Function:
    """A form of a function, with its own output."""

    def __init__(self, folder, form, name, program, inputs):
        self.form, self.output = form, Array("f", program.output)
        self.library = ctypes.CDLL(os.path.join(folder, form, name + ".so"))
        self.function = getattr(self.library, name)
        self.times = []
        ours = form in ["certified", "compiled"]
        self.function.restype = ctypes.c_int if ours else None
        self.clears = not ours
        address = lambda array: ctypes.addressof(ctypes.c_char.from_buffer(array.memory))
        if form == "compiled":
            self.buffers = [array.buffer() for array in [*inputs.values(), self.output]]
            self.arguments = [ctypes.c_int64(size) for size in program.sizes.values()]
            self.arguments += [ctypes.byref(buffer) for buffer in self.buffers]
            return
        path = os.path.join(folder, form, name + (".c" if ours else ".h"))
        with open(path) as file:
            names = parameters(file.read(), name)
        number = ctypes.c_int64 if ours else ctypes.c_int
        meaning = {} if ours else program.theirs
        self.arguments = []
        for parameter in names:
            meant = meaning.get(parameter, parameter)
            if meant in program.sizes:
                self.arguments.append(number(program.sizes[meant]))
                continue
            # The output is the last parameter.
            array = self.output if parameter == names[-1] else inputs[meant]
            self.arguments.append(ctypes.c_void_p(address(array)))

    def threads(self, count):
        if self.form == "compiled":
            self.library.halidom_set_threads(count)
        else:
            ctypes.CDLL("libgomp.so.1").omp_set_num_threads(count)

    def call(self):
        if self.clears:
            size = 4 * self.output.count
            ctypes.memset(ctypes.addressof(ctypes.c_char.from_buffer(self.output.memory)), 0, size)
        begin = time.perf_counter()
        status = self.function(*self.arguments)
        self.times.append(time.perf_counter() - begin)
        if status:
            raise SystemExit(f"{self.form} ended with status {status}")


def measure(folder, name, program):
    inputs = program.filled()
    exists = lambda form: os.path.exists(os.path.join(folder, form, name + ".so"))
    functions = [
        Function(folder, form, name, program, inputs) for form in FORMS if exists(form)
    ]
    measured = []
    for count in [1, 2]:
        # The second library runs in order, so it has no row with two threads.
        running = [one for one in functions if count == 1 or one.form != "lowering"]
        for one in running:
            one.times = []
        began = time.perf_counter()
        for turn in range(WARM + ROUNDS):
            if turn >= WARM + 5 and time.perf_counter() - began > PATIENCE:
                break
            first = turn % len(running)
            for one in running[first:] + running[:first]:
                one.threads(count)
                one.call()
        for one in running:
            median = 1e3 * statistics.median(one.times[WARM:])
            row = {"function": name, "form": one.form, "threads": count}
            measured.append({**row, "milliseconds": median})
    for one in functions:
        far = distance(functions[0].output.values, one.output.values)
        for row in measured:
            if row["form"] == one.form:
                row["distance"] = far
    return measured


if __name__ == "__main__":
    folder, sizes = sys.argv[1:]
    rows = []
    for name, program in programs(sizes == "small").items():
        if any(os.path.exists(os.path.join(folder, form, name + ".so")) for form in FORMS[2:]):
            rows += measure(folder, name, program)
    print(json.dumps(rows))
