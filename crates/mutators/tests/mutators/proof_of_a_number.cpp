// Only of a truth value is asked whether it can be proved.
// wrong: crash
// profile: halide

class Right : public IRMutator {
    Expr visit(const Max *op) override {
        if (can_prove(op->a <= op->b)) {
            return op->b;
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Max *op) override {
        if (can_prove(op->a)) {
            return op;
        }
        return op;
    }
};
