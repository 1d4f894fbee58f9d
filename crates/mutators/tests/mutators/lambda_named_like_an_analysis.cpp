// A lambda function may have the name of a function for which a contract stands.
// wrong: unsupported

static auto const_int_bounds = [](Expr e, int64_t *least, int64_t *greatest) {
    *least = 0;
    *greatest = 0;
    return true;
};

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
