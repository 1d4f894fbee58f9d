// The method `swap` exchanges what two variables hold.
// wrong: wrong

class Right : public IRMutator {
    Expr visit(const Sub *op) override {
        std::vector<Expr> first = {mutate(op->b)};
        std::vector<Expr> second = {mutate(op->a)};
        first.swap(second);
        return Sub::make(first[0], second[0]);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Sub *op) override {
        std::vector<Expr> first = {mutate(op->a)};
        std::vector<Expr> second = {mutate(op->b)};
        first.swap(second);
        return Sub::make(first[0], second[0]);
    }
};
