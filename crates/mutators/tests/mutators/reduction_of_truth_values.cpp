// Truth values are reduced by `&&` or `||` only.
// wrong: crash
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const Provide *op) override {
        Stmt s = Provide::make(op->name, op->values, op->args, op->predicate);
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Expr visit(const VectorReduce *op) override {
        Expr e = VectorReduce::make(VectorReduce::Add, op->value, 1);
        return op;
    }
};
