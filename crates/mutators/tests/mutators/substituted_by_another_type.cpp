// An expression that is replaced by one of another type leaves an operator of two types.
// wrong: unsupported
// profile: halide-hls

class Right : public IRMutator {
    using IRMutator::visit;
    void visit(const Add *op) {
        Expr other = substitute(op->b, make_const(op->type, 1), Expr(op));
        expr = op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    void visit(const Add *op) {
        Expr other = substitute(op->b, make_const(UInt(8), 1), Expr(op));
        expr = op;
    }
};
