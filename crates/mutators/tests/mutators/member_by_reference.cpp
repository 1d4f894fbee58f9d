// A reference to a member is read after another method may have left the member undefined.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Expr last;

    Expr visit(const Add *op) override {
        last = op->a;
        const Expr &held = last;
        Expr next = held + 1;
        return Add::make(mutate(op->a), mutate(op->b));
    }

    Expr visit(const Sub *op) override {
        last = Expr();
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Expr last;

    Expr visit(const Add *op) override {
        last = op->a;
        const Expr &held = last;
        Expr a = mutate(op->a), b = mutate(op->b);
        Expr next = held + 1;
        return Add::make(a, b);
    }

    Expr visit(const Sub *op) override {
        last = Expr();
        return op;
    }
};
