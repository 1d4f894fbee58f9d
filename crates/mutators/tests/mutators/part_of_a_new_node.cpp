// A reference into a node does not hold the node.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    Expr visit(const Sub *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        Expr first = (a + b).as<Add>()->a;
        return Sub::make(first, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Sub *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Expr &first = (a + b).as<Add>()->a;
        return Sub::make(first, b);
    }
};
