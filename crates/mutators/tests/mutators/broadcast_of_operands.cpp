// An operation on broadcasts is the broadcast of the operation, with the vector's lanes.
// wrong: crash

class Right : public IRMutator {
    void visit(const Sub *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Broadcast *broadcast_a = a.as<Broadcast>();
        const Broadcast *broadcast_b = b.as<Broadcast>();
        if (broadcast_a && broadcast_b) {
            expr = Broadcast::make(mutate(broadcast_a->value - broadcast_b->value), broadcast_a->lanes);
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Sub::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Sub *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Broadcast *broadcast_a = a.as<Broadcast>();
        const Broadcast *broadcast_b = b.as<Broadcast>();
        if (broadcast_a && broadcast_b) {
            expr = Broadcast::make(mutate(broadcast_a->value - broadcast_b->value), 1);
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Sub::make(a, b);
        }
    }
};
