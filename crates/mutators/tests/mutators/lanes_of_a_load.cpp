// A load has the lanes of its index.
// wrong: type
// profile: halide

class Right : public IRMutator {
    Expr visit(const Load *op) {
        Expr index = mutate(op->index);
        const Broadcast *b = index.as<Broadcast>();
        if (b && is_const_one(op->predicate)) {
            Expr load = op->with(b->value, const_true(1), op->alignment);
            return Broadcast::make(load, b->lanes);
        }
        return op->with(index, op->predicate, op->alignment);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Load *op) {
        Expr index = mutate(op->index);
        const Broadcast *b = index.as<Broadcast>();
        if (b && is_const_one(op->predicate)) {
            return op->with(b->value, const_true(1), op->alignment);
        }
        return op->with(index, op->predicate, op->alignment);
    }
};
