// A select under a constant condition takes the arm of its truth.
// wrong: wrong

class Right : public IRMutator {
    void visit(const Select *op, const Expr &self) {
        Expr condition = mutate(op->condition);
        Expr true_value = mutate(op->true_value);
        Expr false_value = mutate(op->false_value);
        if (is_one(condition)) {
            expr = true_value;
        } else if (is_zero(condition)) {
            expr = false_value;
        } else {
            expr = Select::make(condition, true_value, false_value);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Select *op, const Expr &self) {
        Expr condition = mutate(op->condition);
        Expr true_value = mutate(op->true_value);
        Expr false_value = mutate(op->false_value);
        if (is_one(condition)) {
            expr = true_value;
        } else if (is_zero(condition)) {
            expr = true_value;
        } else {
            expr = Select::make(condition, true_value, false_value);
        }
    }
};
