// What is reduced may itself be a reduction, to several lanes and by another operation.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    Expr visit(const VectorReduce *op) override {
        Expr value = mutate(op->value);
        if (value.as<Broadcast>()) {
            return op;
        }
        return VectorReduce::make(op->op, value, op->type.lanes());
    }
};

class Wrong : public IRMutator {
    Expr visit(const VectorReduce *op) override {
        Expr value = mutate(op->value);
        if (const VectorReduce *inner = value.as<VectorReduce>()) {
            return VectorReduce::make(op->op, inner->value, op->type.lanes());
        }
        return VectorReduce::make(op->op, value, op->type.lanes());
    }
};
