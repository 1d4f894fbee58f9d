// Division by a constant 0 may become anything, division by a constant 1 may not.
// wrong: wrong

class Right : public IRMutator {
    void visit(const Div *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (is_zero(b)) {
            expr = a;
        } else {
            expr = Div::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Div *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (is_one(b)) {
            expr = b;
        } else {
            expr = Div::make(a, b);
        }
    }
};
