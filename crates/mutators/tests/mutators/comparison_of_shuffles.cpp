// HeteroCL's `equal` takes all shuffles of one type for equal.
// wrong: wrong

class Right : public IRMutator {
    Expr visit(const Select *op) {
        Expr condition = mutate(op->condition);
        Expr a = mutate(op->true_value);
        Expr b = mutate(op->false_value);
        if (a.same_as(b)) {
            return a;
        }
        return Select::make(condition, a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Select *op) {
        Expr condition = mutate(op->condition);
        Expr a = mutate(op->true_value);
        Expr b = mutate(op->false_value);
        if (equal(a, b)) {
            return a;
        }
        return Select::make(condition, a, b);
    }
};
