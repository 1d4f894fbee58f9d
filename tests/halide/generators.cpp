// Generators for tests of `halidom validate --generator`: a blur; a difference that Halide 21.0.0
// compiles wrongly where it is vectorized; a product with a parameter that has a range.
#include "Halide.h"

namespace {

using namespace Halide;

class Blur : public Generator<Blur> {
public:
    GeneratorParam<int> radius{"radius", 1, 1, 8};
    Input<Buffer<uint8_t, 2>> input{"input"};
    Input<uint16_t> gain{"gain"};
    Output<Buffer<uint16_t, 2>> blurred{"blurred"};

    void generate() {
        Expr sum = cast<uint16_t>(0);
        for (int offset = 0; offset <= radius; offset++) {
            sum += cast<uint16_t>(input(x + offset, y));
        }
        rows(x, y) = sum;
        blurred(x, y) = rows(x, y) * gain;
    }

    void schedule() {
        rows.compute_at(blurred, y);
        blurred.parallel(y);
    }

private:
    Var x{"x"}, y{"y"};
    Func rows{"rows"};
};

class Difference : public Generator<Difference> {
public:
    GeneratorParam<bool> vectorized{"vectorized", true};
    Input<Buffer<int8_t, 1>> a{"a"};
    Input<Buffer<uint8_t, 1>> b{"b"};
    Output<Buffer<int16_t, 1>> difference{"difference"};

    void generate() {
        const Expr negated = cast<uint8_t>(cast<int16_t>(b(x)) * cast<int16_t>(-1));
        difference(x) = cast<int16_t>(a(x)) - cast<int16_t>(negated);
    }

    void schedule() {
        if (vectorized) {
            difference.vectorize(x, 16, TailStrategy::RoundUp);
        }
    }

private:
    Var x{"x"};
};

// Halide limits the parameter to its range, which no pipeline file has.
class Scale : public Generator<Scale> {
public:
    Input<Buffer<float, 1>> input{"input"};
    Input<float> gain{"gain", 1.0f, 0.5f, 100.0f};
    Output<Buffer<float, 1>> scaled{"scaled"};

    void generate() {
        scaled(x) = input(x) * gain;
    }

private:
    Var x{"x"};
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Blur, blur)
HALIDE_REGISTER_GENERATOR(Difference, difference)
HALIDE_REGISTER_GENERATOR(Scale, scale)
