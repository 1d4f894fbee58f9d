// A member of the class's own hides the one that `mutate` returns.
// wrong: unsupported
// profile: halide-hls

class Right : public IRMutator {
    using IRMutator::visit;
    Expr last;

    void visit(const Add *op) {
        last = op->a;
        expr = op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Expr expr;

    void visit(const Add *op) {
        expr = op;
    }
};
