// A reference to an operand is used although the variable that holds the node was assigned.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Mul *op) override {
        Expr held = mutate(op->a);
        if (const Max *max = held.as<Max>()) {
            const Expr &first = max->a;
            const Expr &second = op->b;
            Expr again = Max::make(first, max->b);
            held = op->b;
            return Mul::make(again, second);
        }
        return Mul::make(held, op->b);
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Mul *op) override {
        Expr held = mutate(op->a);
        if (const Max *max = held.as<Max>()) {
            const Expr &first = max->a;
            Expr second = max->b;
            held = op->b;
            Expr again = Max::make(first, second);
            return Mul::make(again, op->b);
        }
        return Mul::make(held, op->b);
    }
};
