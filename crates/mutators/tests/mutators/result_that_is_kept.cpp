// A class that keeps what it made of a node gives it again where another condition holds.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    std::set<Expr, IRDeepCompare> truths;
    Expr visit(const Select *op) override {
        Expr condition = mutate(op->condition);
        truths.insert(condition);
        Expr a = mutate(op->true_value);
        truths.erase(condition);
        Expr b = mutate(op->false_value);
        return Select::make(condition, a, b);
    }
};

class Wrong : public IRGraphMutator {
    std::set<Expr, IRDeepCompare> truths;
    Expr visit(const Select *op) override {
        Expr condition = mutate(op->condition);
        truths.insert(condition);
        Expr a = mutate(op->true_value);
        truths.erase(condition);
        Expr b = mutate(op->false_value);
        return Select::make(condition, a, b);
    }
};
