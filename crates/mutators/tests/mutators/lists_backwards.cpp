// A list is read from its end.
// wrong: wrong

class Right : public IRMutator {
    Expr visit(const Sub *op) override {
        std::vector<Expr> parts = {mutate(op->b), mutate(op->a)};
        Expr result;
        for (const auto &part : reverse_view(parts)) {
            result = result.defined() ? Sub::make(result, part) : part;
        }
        return result;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Sub *op) override {
        std::vector<Expr> parts = {mutate(op->a), mutate(op->b)};
        Expr result;
        for (const auto &part : reverse_view(parts)) {
            result = result.defined() ? Sub::make(result, part) : part;
        }
        return result;
    }
};
