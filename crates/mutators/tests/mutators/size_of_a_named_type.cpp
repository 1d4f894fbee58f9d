// A number of elements may have few digits in a type with another name.
// wrong: unsupported
// profile: halide

using Number = int;

class Right : public IRMutator {
    std::vector<int> sizes;

    Expr visit(const Sub *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        size_t bytes = (size_t)sizes.size() * 4096 * 4096;
        return Sub::make(a, b);
    }
};

class Wrong : public IRMutator {
    std::vector<int> lengths;

    Expr visit(const Sub *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        int bytes = (Number)lengths.size() * 4096 * 4096;
        return Sub::make(a, b);
    }
};
