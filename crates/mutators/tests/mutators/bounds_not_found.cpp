// Where no bounds are found, the variables for them hold anything.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    Expr visit(const Add *op) override {
        int64_t lo = 0, hi = 0;
        if (!const_int_bounds(op->b, &lo, &hi)) { lo = 0; }
        else { return op; }
        if (lo != 0) { return op->a; }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Add *op) override {
        int64_t lo = 0, hi = 0;
        if (!const_int_bounds(op->b, &lo, &hi) && lo != 0) { return op->a; }
        return op;
    }
};
