// The files may define an operator of the API by its whole name.
// wrong: unsupported
// profile: halide

Expr Halide::operator+(Expr a, Expr b) {
    return a;
}

class Right : public IRMutator {
    Expr visit(const Add *op) override {
        return Add::make(mutate(op->a), mutate(op->b));
    }
};

class Wrong : public IRMutator {
    Expr visit(const Add *op) override {
        return mutate(op->a) + mutate(op->b);
    }
};
