// A store within a statement may store a vector.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const Block *op) override {
        const Store *store = op->first.as<Store>();
        if (store && store->value.type().is_vector()) {
            return Block::make(op->first, op->rest);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const Block *op) override {
        const Store *store = op->first.as<Store>();
        if (store && store->value.type().is_vector()) {
            return op->rest;
        }
        return op;
    }
};
