// A store writes as many bytes as its value has.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const Store *op) override {
        Expr value = mutate(op->value);
        Expr index = mutate(op->index);
        return Store::make(op->name, value, index, op->param, op->predicate, op->alignment);
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const Store *op) override {
        Expr value = mutate(op->value);
        Expr index = mutate(op->index);
        if (op->value.type() == Int(32)) {
            value = cast(Int(64), value);
        }
        return Store::make(op->name, value, index, op->param, op->predicate, op->alignment);
    }
};
