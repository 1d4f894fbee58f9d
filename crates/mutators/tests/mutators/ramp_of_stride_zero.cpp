// A ramp of stride 0 is a broadcast of its base.
// wrong: wrong

class Right : public IRMutator {
    void visit(const Ramp *op, const Expr &self) {
        Expr base = mutate(op->base);
        Expr stride = mutate(op->stride);
        if (is_zero(stride)) {
            expr = Broadcast::make(base, op->lanes);
        } else if (base.same_as(op->base) && stride.same_as(op->stride)) {
            expr = self;
        } else {
            expr = Ramp::make(base, stride, op->lanes);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Ramp *op, const Expr &self) {
        Expr base = mutate(op->base);
        Expr stride = mutate(op->stride);
        if (is_one(stride)) {
            expr = Broadcast::make(base, op->lanes);
        } else if (base.same_as(op->base) && stride.same_as(op->stride)) {
            expr = self;
        } else {
            expr = Ramp::make(base, stride, op->lanes);
        }
    }
};
