"""What halidom asks of an installed Halide: `compile FOLDER` and `run FOLDER`.

The folder holds `pipeline.hlpipe`. `compile` writes the final statement there, `final.stmt`; with HL_DEBUG_CODEGEN=2 Halide writes that after every pass on standard error.
`run` reads `case.json` (parameters by name; the least coordinates of inputs by name, and of outputs in order), `input.NAME.npy` and `output.N.npy`, runs the compiled code and
writes `output.N.npy` anew. The last axis of a file is the first dimension of a buffer.
"""

import importlib.metadata
import json
import sys
from pathlib import Path

VERSION = "21.0.0"


def compile_statement(halide, folder):
    pipeline = halide.deserialize_pipeline(str(folder / "pipeline.hlpipe"))
    text = halide.StmtOutputFormat.Text
    pipeline.compile_to_conceptual_stmt(str(folder / "final.stmt"), pipeline.infer_arguments(), text)


def run(halide, folder):
    import numpy

    def buffer(file, mins):
        made = halide.Buffer(numpy.load(file))
        if mins:
            made.set_min(mins)
        return made

    case = json.loads((folder / "case.json").read_text())
    path = str(folder / "pipeline.hlpipe")
    parameters = halide.deserialize_parameters(path)
    for name, value in case["parameters"].items():
        parameters[name].set_scalar(value)
    inputs = {name: buffer(folder / f"input.{name}.npy", mins) for name, mins in case["inputs"].items()}
    for name, made in inputs.items():
        parameters[name].set_buffer(made)
    pipeline = halide.deserialize_pipeline(path, parameters)
    files = [folder / f"output.{number}.npy" for number in range(len(case["outputs"]))]
    outputs = [buffer(file, mins) for file, mins in zip(files, case["outputs"])]
    pipeline.realize(outputs)
    for file, made in zip(files, outputs):
        numpy.save(file, numpy.array(made, copy=True))


def main():
    found = importlib.metadata.version("halide")
    if found != VERSION:
        sys.exit(f"Halide {found} is installed, and what is read is {VERSION}")
    import halide

    jobs = {"compile": compile_statement, "run": run}
    jobs[sys.argv[1]](halide, Path(sys.argv[2]))


main()
