// What is mutated again is smaller than the input; else the mutator may not end.
// wrong: partial

class Right : public IRMutator {
    Expr visit(const Add *op) {
        const Add *a = op->a.as<Add>();
        if (a && is_zero(a->b)) {
            return mutate(Add::make(a->a, op->b));
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Add *op) {
        return mutate(Add::make(op->b, op->a));
    }
};
