// The comma operator evaluates an assignment, and then something else.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    Expr visit(const Add *op) override {
        bool ok = true;
        ok = false;
        if ((!ok)) return op;
        return op->b;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Add *op) override {
        bool ok = true;
        if ((ok = false, !ok)) return op->b;
        return op;
    }
};
