// Adding to both sides of a comparison needs a type that does not wrap.
// wrong: wrong
// profile: halide-hls

class Right : public IRMutator {
    void visit(const LT *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Add *add_a = a.as<Add>();
        const Add *add_b = b.as<Add>();
        if (a.type().is_int() && a.type().bits() >= 32 && add_a && add_b && equal(add_a->b, add_b->b)) {
            expr = mutate(add_a->a < add_b->a);
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = LT::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const LT *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Add *add_a = a.as<Add>();
        const Add *add_b = b.as<Add>();
        if (add_a && add_b && equal(add_a->b, add_b->b)) {
            expr = mutate(add_a->a < add_b->a);
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = LT::make(a, b);
        }
    }
};
