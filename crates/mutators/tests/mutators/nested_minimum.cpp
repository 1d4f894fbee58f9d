// A minimum absorbs one of its own operands.
// wrong: wrong
// profile: halide-hls

class Right : public IRMutator {
    void visit(const Min *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Min *min_a = a.as<Min>();
        if (min_a && equal(min_a->b, b)) {
            expr = a;
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Min::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Min *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Max *max_a = a.as<Max>();
        if (max_a && equal(max_a->b, b)) {
            expr = a;
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Min::make(a, b);
        }
    }
};
