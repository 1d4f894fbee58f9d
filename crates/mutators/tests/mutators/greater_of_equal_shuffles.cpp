// Halide's `equal` tells shuffles apart.
// wrong: undecided
// profile: halide-hls

class Right : public IRMutator {
    Expr visit(const Max *op) {
        if (equal(op->a, op->b)) {
            return op->a;
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Max *op) {
        if (op->a.as<Shuffle>() && op->b.as<Shuffle>()) {
            return op->a;
        }
        return op;
    }
};
