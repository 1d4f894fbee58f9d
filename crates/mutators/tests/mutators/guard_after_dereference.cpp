// A conjunction tests the pointer before it follows it.
// wrong: crash
// profile: halide-hls

class Right : public IRMutator {
    void visit(const Mod *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Add *add_a = a.as<Add>();
        if (add_a && equal(add_a->a, b) && op->type.is_int() && op->type.bits() >= 32) {
            expr = mutate(add_a->b % b);
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Mod::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Mod *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Add *add_a = a.as<Add>();
        if (equal(add_a->a, b) && add_a && op->type.is_int() && op->type.bits() >= 32) {
            expr = mutate(add_a->b % b);
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Mod::make(a, b);
        }
    }
};
