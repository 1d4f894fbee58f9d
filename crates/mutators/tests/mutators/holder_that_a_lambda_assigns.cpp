// A lambda function assigns the variable that holds a node, before or after the node is used.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Add *op) override {
        Expr held = mutate(op->a);
        auto replace = [&]() { held = op->b; };
        const Max *max = held.as<Max>();
        if (max) {
            Expr again = Max::make(max->a, max->b);
            replace();
            return Add::make(again, held);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Add *op) override {
        Expr held = mutate(op->a);
        auto replace = [&]() { held = op->b; };
        const Max *max = held.as<Max>();
        if (max) {
            replace();
            Expr again = Max::make(max->a, max->b);
            return Add::make(again, held);
        }
        return op;
    }
};
