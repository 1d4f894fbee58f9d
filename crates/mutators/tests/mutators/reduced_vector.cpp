// A vector is reduced by its own operation.
// wrong: crash
// profile: halide

class Right : public IRMutator {
    Expr visit(const VectorReduce *op) override {
        Expr value = mutate(op->value);
        return VectorReduce::make(op->op, std::move(value), op->type.lanes());
    }
};

class Wrong : public IRMutator {
    Expr visit(const VectorReduce *op) override {
        Expr value = mutate(op->value);
        return VectorReduce::make(VectorReduce::Add, std::move(value), op->type.lanes());
    }
};
