// In some of the compilers, one truth value may choose between vectors.
// wrong: wrong

class Right : public IRMutator {
    void visit(const Select *op, const Expr &self) {
        Expr condition = mutate(op->condition);
        Expr a = mutate(op->true_value);
        Expr b = mutate(op->false_value);
        if (const Broadcast *broadcast = condition.as<Broadcast>()) {
            expr = Select::make(broadcast->value, a, b);
        } else {
            expr = Select::make(condition, a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Select *op, const Expr &self) {
        Expr condition = mutate(op->condition);
        Expr a = mutate(op->true_value);
        Expr b = mutate(op->false_value);
        if (op->type.is_vector() && condition.type().is_scalar()) {
            expr = a;
        } else {
            expr = Select::make(condition, a, b);
        }
    }
};
