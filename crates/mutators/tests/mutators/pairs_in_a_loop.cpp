// A loop declares the parts of each pair, in their order.
// wrong: unsupported
// right: unsupported

class Right : public IRMutator {
    Expr visit(const Sub *op) override {
        std::vector<std::pair<Expr, Expr>> pairs = {{mutate(op->a), mutate(op->b)}};
        Expr result;
        for (const auto &[a, b] : pairs) {
            result = Sub::make(a, b);
        }
        return result;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Sub *op) override {
        std::vector<std::pair<Expr, Expr>> pairs = {{mutate(op->a), mutate(op->b)}};
        Expr result;
        for (const auto &[b, a] : pairs) {
            result = Sub::make(a, b);
        }
        return result;
    }
};
