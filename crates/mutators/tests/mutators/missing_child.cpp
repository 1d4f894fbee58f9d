// Both operands are mutated, and both are used.
// wrong: wrong

class Right : public IRMutator {
    void visit(const Mul *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (a.same_as(op->a) && b.same_as(op->b)) {
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
        if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Mul::make(a, a);
        }
    }
};
