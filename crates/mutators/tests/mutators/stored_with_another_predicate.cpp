// `with` of a store takes the value, the index and the predicate in this order.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Stmt visit(const Store *op) override {
        Expr value = mutate(op->value);
        Expr index = mutate(op->index);
        return op->with(value, index, op->predicate, op->alignment);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Store *op) override {
        Expr value = mutate(op->value);
        Expr index = mutate(op->index);
        return op->with(index, index, op->predicate, op->alignment);
    }
};
