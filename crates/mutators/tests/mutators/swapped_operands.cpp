// A difference is not commutative.
// wrong: wrong
// profile: halide-hls

class Right : public IRMutator {
    void visit(const Sub *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Add *add_a = a.as<Add>();
        if (add_a && equal(add_a->a, b)) {
            expr = add_a->b;
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Sub::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Sub *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Add *add_a = a.as<Add>();
        if (add_a && equal(add_a->b, b)) {
            expr = add_a->b;
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Sub::make(a, b);
        }
    }
};
