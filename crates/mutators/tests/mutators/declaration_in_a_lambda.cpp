// A name in parentheses after a type declares a variable, in a lambda function too.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Mul *op) override {
        Expr lhs = mutate(op->a);
        auto product = [&]() {
            Expr copy(lhs);
            return Mul::make(copy, op->b);
        };
        return product();
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Mul *op) override {
        Expr lhs = mutate(op->a);
        auto product = [&]() {
            Expr(lhs);
            return Mul::make(lhs, op->b);
        };
        return product();
    }
};
