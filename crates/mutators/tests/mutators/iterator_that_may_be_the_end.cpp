// An iterator of one key shows nothing about another key.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    std::map<std::string, int> counts;

    Expr visit(const Let *op) override {
        int known = 0;
        if (counts.count(op->name)) {
            known = counts.find(op->name)->second + counts.at(op->name);
        }
        Expr value = mutate(op->value), body = mutate(op->body);
        return known > 3 ? Let::make(op->name, value, body) : Let::make(op->name, value, body);
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    std::map<std::string, int> counts;

    Expr visit(const Let *op) override {
        int known = 0;
        if (counts.count("first")) {
            known = counts.find(op->name)->second + counts.at(op->name);
        }
        Expr value = mutate(op->value), body = mutate(op->body);
        return known > 3 ? Let::make(op->name, value, body) : Let::make(op->name, value, body);
    }
};
