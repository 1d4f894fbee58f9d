// An analysis is taken at its word: what it bounds is within the bounds.
// wrong: wrong

class Right : public IRMutator {
    void visit(const LT *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        int64_t a_min, a_max, b_min, b_max;
        if (const_int_bounds(a, &a_min, &a_max) && const_int_bounds(b, &b_min, &b_max) && a_max < b_min) {
            expr = make_one(op->type);
        } else {
            expr = LT::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const LT *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        int64_t a_min, a_max, b_min, b_max;
        if (const_int_bounds(a, &a_min, &a_max) && const_int_bounds(b, &b_min, &b_max) && a_max <= b_min) {
            expr = make_one(op->type);
        } else {
            expr = LT::make(a, b);
        }
    }
};
