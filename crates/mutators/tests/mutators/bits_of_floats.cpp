// The API refuses operators on bits of floats.
// wrong: rejects
// profile: halide

class Right : public IRMutator {
    Expr visit(const Max *op) override {
        if (op->type.is_int()) {
            Expr bits = op->a ^ op->b;
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Max *op) override {
        Expr bits = op->a ^ op->b;
        return op;
    }
};
