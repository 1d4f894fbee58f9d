// Another method may remove the entry of an iterator.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    std::map<std::string, int> counts;

    Expr visit(const Let *op) override {
        auto found = counts.find(op->name);
        bool is_many = found != counts.end() && found->second > 3;
        Expr value = mutate(op->value), body = mutate(op->body);
        return is_many ? Let::make(op->name, value, body) : Let::make(op->name, value, body);
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
        auto found = counts.find(op->name);
        if (found == counts.end()) {
            return op;
        }
        Expr value = mutate(op->value), body = mutate(op->body);
        found->second = 3;
        return Let::make(op->name, value, body);
    }

    Expr visit(const Sub *op) override {
        counts.clear();
        return op;
    }
};
