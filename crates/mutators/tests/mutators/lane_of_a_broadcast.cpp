// A lane of a broadcast is what is repeated; one of another vector is not known.
// wrong: undecided

class Right : public IRMutator {
    void visit(const Broadcast *op, const Expr &self) {
        Expr value = mutate(op->value);
        Expr vector = Broadcast::make(value, op->lanes);
        if (!is_zero(extract_lane(vector, 0))) {
            expr = Broadcast::make(extract_lane(vector, 0), op->lanes);
        } else {
            expr = vector;
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Broadcast *op, const Expr &self) {
        Expr value = mutate(op->value);
        Expr vector = Broadcast::make(value, op->lanes);
        if (!is_zero(extract_lane(mutate(vector), 0))) {
            expr = Broadcast::make(extract_lane(mutate(vector), 0), op->lanes);
        } else {
            expr = vector;
        }
    }
};
