// Another method may remove the element to which a pointer points.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    std::map<std::string, int> counts;

    Expr visit(const Let *op) override {
        int *count = &counts[op->name];
        *count = 1;
        Expr value = mutate(op->value), body = mutate(op->body);
        return Let::make(op->name, value, body);
    }

    Expr visit(const Sub *op) override {
        counts.clear();
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    std::map<std::string, int> counts;

    Expr visit(const Let *op) override {
        int *count = &counts[op->name];
        Expr value = mutate(op->value), body = mutate(op->body);
        *count = 1;
        return Let::make(op->name, value, body);
    }

    Expr visit(const Sub *op) override {
        counts.clear();
        return op;
    }
};
