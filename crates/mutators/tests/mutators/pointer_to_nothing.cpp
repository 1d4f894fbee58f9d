// A pointer that was given nothing points to nothing.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    Expr visit(const Sub *op) override {
        int n = 1;
        int *p = &n;
        if (*p == 1) {
            return op;
        }
        return op->a;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Sub *op) override {
        std::unique_ptr<int> p;
        int n = *p;
        return op;
    }
};
