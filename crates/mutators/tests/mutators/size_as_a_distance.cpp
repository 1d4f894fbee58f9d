// The square of a size may overflow in the signed type of distances.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    std::vector<int> sizes;

    Expr visit(const Sub *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        ptrdiff_t last = (ptrdiff_t)sizes.size() - 1;
        return Sub::make(a, b);
    }
};

class Wrong : public IRMutator {
    std::vector<int> lengths;

    Expr visit(const Sub *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        ptrdiff_t all = lengths.size();
        ptrdiff_t squares = all * all;
        return Sub::make(a, b);
    }
};
