// A value that is written keeps its type.
// wrong: wrong
// right: bounded
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const Provide *op) override {
        if (op->values.size() == 1 && op->values[0].type() == Int(32)) {
            return Provide::make(op->name, {op->values[0]}, op->args, op->predicate);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const Provide *op) override {
        if (op->values.size() == 1 && op->values[0].type() == Int(32)) {
            Expr value = cast(Int(64), op->values[0]);
            return Provide::make(op->name, {value}, op->args, op->predicate);
        }
        return op;
    }
};
