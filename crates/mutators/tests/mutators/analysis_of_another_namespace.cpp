// A name of the API may be that of another function that a namespace has.
// wrong: unsupported

using mine::const_int_bounds;

class Right : public IRMutator {
    Expr visit(const LT *op) {
        return LT::make(mutate(op->a), mutate(op->b));
    }
};

class Wrong : public IRMutator {
    Expr visit(const LT *op) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        int64_t a_least, a_greatest, b_least, b_greatest;
        if (const_int_bounds(a, &a_least, &a_greatest) && const_int_bounds(b, &b_least, &b_greatest) &&
            a_greatest < b_least) {
            return make_one(op->type);
        }
        return LT::make(a, b);
    }
};
