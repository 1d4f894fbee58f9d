// A condition holds in one arm alone.
// wrong: undecided

class Right : public IRMutator {
    std::set<Expr, IRDeepCompare> truths;

    Expr visit(const Select *op) {
        Expr condition = mutate(op->condition);
        truths.insert(condition);
        Expr a = mutate(op->true_value);
        truths.erase(condition);
        Expr b = mutate(op->false_value);
        return Select::make(condition, a, b);
    }
};

class Wrong : public IRMutator {
    std::set<Expr, IRDeepCompare> truths;

    Expr visit(const Select *op) {
        Expr condition = mutate(op->condition);
        truths.insert(condition);
        Expr a = mutate(op->true_value);
        Expr b = mutate(op->false_value);
        truths.erase(condition);
        return Select::make(condition, a, b);
    }
};
