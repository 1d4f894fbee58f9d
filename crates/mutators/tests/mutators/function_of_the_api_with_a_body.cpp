// A function of the API that the files define by its whole name runs as it is written.
// wrong: wrong
// profile: halide

bool Halide::Internal::equal(const Expr &a, const Expr &b) {
    return true;
}

class Right : public IRMutator {
    Expr visit(const Sub *op) override {
        if (op->a.same_as(op->b)) {
            return make_zero(op->type);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Sub *op) override {
        if (equal(op->a, op->b)) {
            return make_zero(op->type);
        }
        return op;
    }
};
