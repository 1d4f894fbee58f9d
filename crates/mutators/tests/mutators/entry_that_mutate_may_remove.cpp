// Another method may remove an entry that was there.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    std::map<std::string, int> counts;

    Expr visit(const Let *op) override {
        Expr value = mutate(op->value), body = mutate(op->body);
        if (counts.count(op->name) && counts.at(op->name) > 3) {
            return Let::make(op->name, value, body);
        }
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
        bool is_known = counts.count(op->name);
        Expr value = mutate(op->value), body = mutate(op->body);
        if (is_known && counts.at(op->name) > 3) {
            return Let::make(op->name, value, body);
        }
        return Let::make(op->name, value, body);
    }

    Expr visit(const Sub *op) override {
        counts.clear();
        return op;
    }
};
