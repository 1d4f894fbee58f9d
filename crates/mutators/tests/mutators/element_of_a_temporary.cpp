// A reference to an element outlives the vector, which a call returned.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    std::vector<Expr> operands(const Max *op) {
        return {mutate(op->a), mutate(op->b)};
    }
    Expr visit(const Max *op) override {
        const std::vector<Expr> &both = operands(op);
        const Expr &first = both[0];
        return Max::make(first, both[1]);
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    std::vector<Expr> operands(const Max *op) {
        return {mutate(op->a), mutate(op->b)};
    }
    Expr visit(const Max *op) override {
        const Expr &first = operands(op)[0];
        return Max::make(first, op->b);
    }
};
