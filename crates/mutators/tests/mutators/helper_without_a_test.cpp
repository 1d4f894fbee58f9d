// A helper's pointer is tested by the helper.
// wrong: crash

Expr factor(const Expr &e) {
    const Mul *mul = e.as<Mul>();
    if (!mul) return Expr();
    return mul->a;
}

class Right : public IRMutator {
    void visit(const Mul *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (factor(a).defined() && is_one(b)) {
            expr = mutate(a);
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Mul::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Mul *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (is_one(b) && factor(a).type().bits() > 0) {
            expr = mutate(a);
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Mul::make(a, b);
        }
    }
};
