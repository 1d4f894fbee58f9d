"""A generator in Python, for tests of the CMake package."""

import halide as hl

x = hl.Var("x")


@hl.generator(name="plus")
class Plus:
    step = hl.GeneratorParam(1)

    given = hl.InputBuffer(hl.UInt(8), 1)
    sums = hl.OutputBuffer(hl.UInt(8), 1)

    def generate(self):
        g = self
        g.sums[x] = g.given[x] + hl.u8(g.step)
        g.sums.vectorize(x, 16)


if __name__ == "__main__":
    hl.main()
