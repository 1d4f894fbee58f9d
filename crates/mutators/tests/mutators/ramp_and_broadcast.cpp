// A ramp plus a broadcast is a ramp from another base.
// wrong: wrong

class Right : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Ramp *ramp_a = a.as<Ramp>();
        const Broadcast *broadcast_b = b.as<Broadcast>();
        if (ramp_a && broadcast_b) {
            expr = mutate(Ramp::make(ramp_a->base + broadcast_b->value, ramp_a->stride, ramp_a->lanes));
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Add::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Ramp *ramp_a = a.as<Ramp>();
        const Broadcast *broadcast_b = b.as<Broadcast>();
        if (ramp_a && broadcast_b) {
            expr = mutate(Ramp::make(ramp_a->base, ramp_a->stride + broadcast_b->value, ramp_a->lanes));
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Add::make(a, b);
        }
    }
};
