// The result through a member that a later statement overwrites.
// wrong: wrong
// profile: halide-hls

class Right : public IRMutator {
    void visit(const Max *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        expr = Max::make(a, b);
        if (equal(a, b)) {
            expr = a;
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Max *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        expr = Max::make(a, b);
        if (is_zero(b)) {
            expr = a;
        }
    }
};
