// The number of elements of a container is a signed number of few digits; its product may overflow.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    std::vector<int> sizes;

    Expr visit(const Sub *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        int last = (int)sizes.size() - 1;
        int next = sizes.size() + 1;
        size_t bytes = sizes.size() * 4096 * 4096;
        if (last > 4 || next < 0 || bytes > 7) {
            return op;
        }
        return Sub::make(a, b);
    }
};

class Wrong : public IRMutator {
    std::vector<int> lengths;

    Expr visit(const Sub *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        int bytes = (int)lengths.size() * 4096 * 4096;
        return Sub::make(a, b);
    }
};
