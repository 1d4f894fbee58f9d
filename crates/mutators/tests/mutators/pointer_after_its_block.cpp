// The expression that holds a node ends with a block, but a pointer into it is used later.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Mul *op) override {
        const Min *least = nullptr;
        Expr lhs;
        {
            lhs = mutate(op->a);
            least = lhs.as<Min>();
        }
        if (least) {
            return Mul::make(Min::make(least->a, least->b), op->b);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Mul *op) override {
        const Min *least = nullptr;
        {
            Expr lhs = mutate(op->a);
            least = lhs.as<Min>();
        }
        if (least) {
            return Mul::make(Min::make(least->a, least->b), op->b);
        }
        return op;
    }
};
