// A number of 64 bits that becomes an `int` keeps the lowest 32 bits.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Expr visit(const Mul *op) override {
        if (const int64_t *i = as_const_int(op->b)) {
            int k = *i;
            if (k == 1 && *i == k) { return op->a; }
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Mul *op) override {
        if (const int64_t *i = as_const_int(op->b)) {
            int k = *i;
            if (k == 1 && *i > 0) { return op->a; }
        }
        return op;
    }
};
