// A cast pointer is dereferenced where it is known not to be null.
// wrong: crash
// right: partial

class Right : public IRMutator {
    void visit(const Sub *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Mul *mul_a = a.as<Mul>();
        if (mul_a && is_zero(mul_a->b)) {
            expr = mutate(Sub::make(make_zero(op->type), b));
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
        const Mul *mul_a = a.as<Mul>();
        if (is_zero(mul_a->b)) {
            expr = mutate(Sub::make(make_zero(op->type), b));
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Sub::make(a, b);
        }
    }
};
