// A helper returns a pointer into what its caller holds, or into what only it holds itself.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    const Mul *product(const Expr &of) {
        return of.as<Mul>();
    }
    Expr visit(const Add *op) override {
        Expr lhs = mutate(op->a);
        const Mul *mul = product(lhs);
        if (mul && product(mutate(op->b))) {
            return Add::make(Mul::make(mul->a, mul->b), op->b);
        }
        return Add::make(lhs, op->b);
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    const Mul *product(const Expr &of) {
        Expr lhs = mutate(of);
        return lhs.as<Mul>();
    }
    Expr visit(const Add *op) override {
        const Mul *mul = product(op->a);
        if (mul) {
            return Add::make(Mul::make(mul->a, mul->b), op->b);
        }
        return op;
    }
};
