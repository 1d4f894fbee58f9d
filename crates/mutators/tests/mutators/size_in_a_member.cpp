// A member that takes the number of elements of a container has its own type.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    std::vector<int> sizes;
    size_t all;

    Expr visit(const Sub *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        all = sizes.size();
        size_t bytes = all * 4096 * 4096;
        return Sub::make(a, b);
    }
};

class Wrong : public IRMutator {
    std::vector<int> lengths;
    int count;

    Expr visit(const Sub *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        count = lengths.size();
        int bytes = count * 4096 * 4096;
        return Sub::make(a, b);
    }
};
