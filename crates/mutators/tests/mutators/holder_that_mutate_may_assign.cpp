// Another method may assign the member that holds a node while operands are mutated.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Expr last;
    Expr visit(const Min *op) override {
        last = mutate(op->a);
        Expr held = last;
        const Sub *sub = held.as<Sub>();
        Expr rhs = mutate(op->b);
        if (sub) {
            return Min::make(Sub::make(sub->a, sub->b), rhs);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Expr last;
    Expr visit(const Min *op) override {
        last = mutate(op->a);
        const Sub *sub = last.as<Sub>();
        Expr rhs = mutate(op->b);
        if (sub) {
            return Min::make(Sub::make(sub->a, sub->b), rhs);
        }
        return op;
    }
};
