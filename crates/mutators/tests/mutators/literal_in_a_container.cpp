// A number in a container of expressions is a literal of 32 bits, whatever it is added to.
// wrong: type
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;

    Expr visit(const Sub *op) override {
        std::deque<Expr> offsets;
        offsets.push_back(make_zero(op->type));
        return Sub::make(op->a, op->b) + offsets[0];
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;

    Expr visit(const Sub *op) override {
        std::deque<Expr> offsets;
        offsets.push_back(0);
        return Sub::make(op->a, op->b) + offsets[0];
    }
};
