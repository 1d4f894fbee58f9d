// Equality is kept by adding, also where arithmetic wraps; not by multiplying.
// wrong: wrong
// profile: halide-hls

class Right : public IRMutator {
    void visit(const EQ *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Add *add_a = a.as<Add>();
        const Add *add_b = b.as<Add>();
        if (add_a && add_b && equal(add_a->b, add_b->b)) {
            expr = mutate(add_a->a == add_b->a);
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = EQ::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const EQ *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Mul *mul_a = a.as<Mul>();
        const Mul *mul_b = b.as<Mul>();
        if (mul_a && mul_b && equal(mul_a->b, mul_b->b)) {
            expr = mutate(mul_a->a == mul_b->a);
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = EQ::make(a, b);
        }
    }
};
