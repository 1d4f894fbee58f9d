// `select` converts a literal next to a vector, which is not followed.
// wrong: wrong
// right: unsupported
// profile: halide

class Right : public IRMutator {
    Expr visit(const Max *op) override {
        if (op->type.is_int() && op->type.bits() == 32) {
            Expr chosen = select(op->a > op->b, op->a, Expr(300));
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Max *op) override {
        return select(op->a > op->b, op->b, op->a);
    }
};
