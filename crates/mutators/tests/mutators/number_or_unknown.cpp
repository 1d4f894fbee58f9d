// In `c ? -1 : m`, the number takes the type of `m`, which is not known.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    unsigned m;
    Expr visit(const Add *op) override {
        int64_t k = 3;
        if ((true ? -1 : k) > 0) { return op->a; }
        return op;
    }
};

class Wrong : public IRMutator {
    unsigned m;
    Expr visit(const Add *op) override {
        if ((true ? -1 : m) > 0) { return op->a; }
        return op;
    }
};
