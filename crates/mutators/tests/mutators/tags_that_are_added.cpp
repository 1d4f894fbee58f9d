// A tag keeps the value that it wraps, and an undefined expression is no literal.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Expr visit(const Min *op) override {
        Expr none;
        if (is_const_zero(none)) {
            return op->a;
        }
        return min(likely(mutate(op->a)), mutate(op->b));
    }
};

class Wrong : public IRMutator {
    Expr visit(const Min *op) override {
        return min(likely(mutate(op->a)), mutate(op->a));
    }
};
