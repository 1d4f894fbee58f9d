// The last element of a vector is a place.
// wrong: wrong
// right: verified
// profile: halide

class Right : public IRMutator {
    Expr visit(const Sub *op) override {
        std::vector<Expr> parts;
        parts.push_back(op->a);
        parts.push_back(op->a);
        parts.back() = mutate(op->b);
        return Sub::make(parts.front(), parts.back());
    }
};

class Wrong : public IRMutator {
    Expr visit(const Sub *op) override {
        std::vector<Expr> parts;
        parts.push_back(op->a);
        parts.push_back(op->a);
        parts.front() = mutate(op->b);
        return Sub::make(parts.front(), parts.back());
    }
};
