// A sum of a signed number that is not known may overflow; a count and an unsigned sum do not.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    int depth = 0;
    unsigned hash = 0;
    std::vector<int> sizes;

    Expr visit(const Sub *op) override {
        depth++;
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        depth -= 1;
        hash = hash * 31 + 7;
        if (sizes.size() - 1 > 5 || depth < 0) {
            return op;
        }
        return Sub::make(a, b);
    }
};

class Wrong : public IRMutator {
    int level = 0;

    Expr visit(const Sub *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        int next = level + 1;
        return Sub::make(a, b);
    }
};
