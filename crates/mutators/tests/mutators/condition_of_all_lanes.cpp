// A `Select` of vectors has a condition for each lane.
// wrong: crash
// profile: halide

class Right : public IRMutator {
    Expr visit(const Select *op) override {
        Expr condition = mutate(op->condition);
        Expr a = mutate(op->true_value);
        Expr b = mutate(op->false_value);
        if (op->type.is_vector() && condition.type().is_scalar()) {
            return a;
        }
        return Select::make(condition, a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Select *op) override {
        Expr condition = mutate(op->condition);
        Expr a = mutate(op->true_value);
        Expr b = mutate(op->false_value);
        if (const Broadcast *broadcast = condition.as<Broadcast>()) {
            return Select::make(broadcast->value, a, b);
        }
        return Select::make(condition, a, b);
    }
};
