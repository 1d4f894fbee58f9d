// Of a product with -1, `mul_would_overflow` tests only the least number.
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
    Expr visit(const Mul *op) override {
        auto a = as_const_int(op->a);
        auto b = as_const_int(op->b);
        if (a && b && op->type == Int(64) && *a == -1 && !mul_would_overflow(32, *a, *b)) {
            if (*b > 2147483648LL) {
                return op->a;
            }
        }
        return op;
    }
};
