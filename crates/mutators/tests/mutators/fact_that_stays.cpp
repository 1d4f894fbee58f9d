// A condition is no longer assumed when the method returns.
// wrong: undecided

class Right : public IRMutator {
    std::set<Expr, IRDeepCompare> truths;

    Expr visit(const And *op) {
        truths.insert(op->a);
        Expr b = mutate(op->b);
        truths.erase(op->a);
        return And::make(op->a, b);
    }
};

class Wrong : public IRMutator {
    std::set<Expr, IRDeepCompare> truths;

    Expr visit(const And *op) {
        truths.insert(op->a);
        Expr b = mutate(op->b);
        return And::make(op->a, b);
    }
};
