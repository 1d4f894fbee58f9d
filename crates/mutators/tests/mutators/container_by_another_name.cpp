// A variable of a type that no given file declares may be a container without elements.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    Expr visit(const Sub *op) override {
        std::vector<int> all;
        all.push_back(1);
        all.pop_back();
        return Sub::make(mutate(op->a), mutate(op->b));
    }
};

class Wrong : public IRMutator {
    Expr visit(const Sub *op) override {
        Numbers all;
        all.pop_back();
        return Sub::make(mutate(op->a), mutate(op->b));
    }
};
