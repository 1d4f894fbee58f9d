// A sort may leave the elements in any order.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    Expr visit(const Add *op) override {
        std::vector<Expr> parts = {mutate(op->a), mutate(op->b)};
        std::stable_sort(parts.begin(), parts.end(), [](const Expr &a, const Expr &b) {
            return is_const(b);
        });
        return Add::make(parts[0], parts[1]);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Sub *op) override {
        std::vector<Expr> parts = {mutate(op->a), mutate(op->b)};
        std::stable_sort(parts.begin(), parts.end(), [](const Expr &a, const Expr &b) {
            return is_const(b);
        });
        return Sub::make(parts[0], parts[1]);
    }
};
