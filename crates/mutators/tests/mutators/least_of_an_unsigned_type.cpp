// `is_min` of a `uint64_t` is always false.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Max *op) override {
        auto b = as_const_uint(op->b);
        if (b && !op->type.is_min((int64_t)*b) && *b == 0) {
            return op->b;
        }
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Max *op) override {
        auto b = as_const_uint(op->b);
        if (b && !op->type.is_min(*b) && *b == 0) {
            return op->b;
        }
        return op;
    }
};
