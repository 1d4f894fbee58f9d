// A lambda function that copies a variable does not see its later values.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    Expr visit(const Add *op) override {
        Expr a = op->a;
        auto first = [&]() { return a; };
        a = op->b;
        return Add::make(op->a, first());
    }
};

class Wrong : public IRMutator {
    Expr visit(const Add *op) override {
        Expr a = op->a;
        auto first = [=]() { return a; };
        a = op->b;
        return Add::make(op->a, first());
    }
};
