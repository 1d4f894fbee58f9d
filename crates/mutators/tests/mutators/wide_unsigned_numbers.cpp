// Unsigned numbers of 64 bits are not compared as signed ones.
// wrong: wrong

class Right : public IRMutator {
    Expr visit(const LT *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        const uint64_t *x = as_const_uint(a);
        const uint64_t *y = as_const_uint(b);
        if (x && y) {
            return make_const(op->type, *x < *y);
        }
        return LT::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const LT *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        const uint64_t *x = as_const_uint(a);
        const uint64_t *y = as_const_uint(b);
        if (x && y) {
            return make_const(op->type, (int64_t)*x < (int64_t)*y);
        }
        return LT::make(a, b);
    }
};
