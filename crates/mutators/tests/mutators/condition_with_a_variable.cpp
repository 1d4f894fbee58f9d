// A variable that an `if` declares before its condition is known in both branches.
// wrong: wrong

class Right : public IRMutator {
    Expr visit(const Sub *op) override {
        Expr a = mutate(op->a);
        if (Expr b = mutate(op->b); is_const_zero(b)) {
            return a;
        } else {
            return Sub::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    Expr visit(const Sub *op) override {
        Expr a = mutate(op->a);
        if (Expr b = mutate(op->b); is_const_zero(b)) {
            return b;
        } else {
            return Sub::make(a, b);
        }
    }
};
