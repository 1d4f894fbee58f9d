// Every path assigns the result.
// wrong: crash

class Right : public IRMutator {
    void visit(const Mul *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (is_zero(a)) {
            expr = a;
        } else {
            expr = Mul::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Mul *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (is_zero(a)) {
            expr = a;
        } else if (is_one(a)) {
            expr = Expr();
        } else {
            expr = Mul::make(a, b);
        }
    }
};
