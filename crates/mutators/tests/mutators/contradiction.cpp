// x < y and y < x cannot both hold, x <= y and y <= x can.
// wrong: wrong
// profile: halide-hls

class Right : public IRMutator {
    void visit(const And *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const LT *lt_a = a.as<LT>();
        const LT *lt_b = b.as<LT>();
        if (lt_a && lt_b && equal(lt_a->a, lt_b->b) && equal(lt_a->b, lt_b->a)) {
            expr = make_zero(op->type);
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = And::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const And *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const LE *le_a = a.as<LE>();
        const LE *le_b = b.as<LE>();
        if (le_a && le_b && equal(le_a->a, le_b->b) && equal(le_a->b, le_b->a)) {
            expr = make_zero(op->type);
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = And::make(a, b);
        }
    }
};
