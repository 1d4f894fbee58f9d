// A maximum and the same maximum plus one.
// wrong: wrong
// profile: halide-hls

class Right : public IRMutator {
    void visit(const Max *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Add *add_a = a.as<Add>();
        if (op->type.is_int() && op->type.bits() >= 32 && add_a && is_one(add_a->b) && equal(add_a->a, b)) {
            expr = a;
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Max::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Max *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Add *add_a = a.as<Add>();
        if (op->type.is_int() && op->type.bits() >= 32 && add_a && is_const(add_a->b, -1) && equal(add_a->a, b)) {
            expr = a;
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Max::make(a, b);
        }
    }
};
