// Both operands must be known to be slices where an operator of slices is hoisted.
// wrong: undecided
// right: partial
// profile: halide-to-hardware

class Right : public IRMutator {
    Expr visit(const Max *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Shuffle *shuffle_a = a.as<Shuffle>();
        const Shuffle *shuffle_b = b.as<Shuffle>();
        if (shuffle_a && shuffle_b && shuffle_a->is_slice() && shuffle_b->is_slice()) {
            return hoist_slice_vector<Max>(Max::make(a, b));
        }
        return Max::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Max *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Shuffle *shuffle_a = a.as<Shuffle>();
        const Shuffle *shuffle_b = b.as<Shuffle>();
        if (shuffle_a && shuffle_b && shuffle_a->is_slice()) {
            return hoist_slice_vector<Max>(Max::make(a, b));
        }
        return Max::make(a, b);
    }
};
