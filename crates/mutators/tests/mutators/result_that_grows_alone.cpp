// Nothing but parts of the input is mutated, so results may be of any size.
// wrong: partial

class Right : public IRMutator {
    Expr visit(const Add *op) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        return Select::make(const_true(), Add::make(a, b), Add::make(b, a));
    }
};

class Wrong : public IRMutator {
    Expr visit(const Add *op) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        return Select::make(const_true(), Add::make(a, mutate(b)), Add::make(b, a));
    }
};
