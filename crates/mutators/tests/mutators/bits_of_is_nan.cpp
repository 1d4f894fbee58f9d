// `is_nan_f64` takes a number of 64 bits.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Expr visit(const Call *op) override {
        if (op->name == "is_nan_f64" && op->args[0].type().bits() == 32) { return const_true(); }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Call *op) override {
        if (op->name == "is_nan_f64" && op->args[0].type().bits() == 64) { return const_true(); }
        return op;
    }
};
