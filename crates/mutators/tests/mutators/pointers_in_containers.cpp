// A vector and a pair have pointers into a node that a variable holds, or into one that ends.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Sub *op) override {
        Expr held = mutate(op->b);
        std::vector<const Mul *> all;
        all.push_back(held.as<Mul>());
        std::pair<const Mul *, bool> both = {all[0], true};
        if (both.first) {
            return Sub::make(op->a, Mul::make(all[0]->a, both.first->b));
        }
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Sub *op) override {
        std::vector<const Mul *> all;
        all.push_back(mutate(op->b).as<Mul>());
        std::pair<const Mul *, bool> both = {all[0], true};
        if (both.first) {
            return Sub::make(op->a, Mul::make(all[0]->a, both.first->b));
        }
        return op;
    }
};
