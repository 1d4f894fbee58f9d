// `sub_would_overflow(32, a, 0)` is false whatever `a` is: it asks only whether the step overflows.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Sub *op) override {
        auto a = as_const_int(op->a);
        if (a && op->type == Int(64) && is_const_zero(op->b) &&
            *a >= -2147483648LL && *a <= 2147483647LL && !sub_would_overflow(32, *a, 0)) {
            int32_t low = *a;
            return make_const(op->type, low);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Sub *op) override {
        auto a = as_const_int(op->a);
        if (a && op->type == Int(64) && is_const_zero(op->b) && !sub_would_overflow(32, *a, 0)) {
            int32_t low = *a;
            return make_const(op->type, low);
        }
        return op;
    }
};
