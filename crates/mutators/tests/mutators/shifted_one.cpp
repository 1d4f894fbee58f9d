// A power of two is computed in the width of the type that it is for.
// wrong: crash

class Right : public IRMutator {
    void visit(const Mod *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        int bits = 0;
        if (op->type.is_int() && op->type.bits() == 32 && is_const_power_of_two_integer(b, &bits)) {
            expr = Mod::make(a, make_const(op->type, (int64_t)1 << bits));
        } else {
            expr = Mod::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Mod *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        int bits = 0;
        if (op->type.is_int() && is_const_power_of_two_integer(b, &bits)) {
            expr = Mod::make(a, make_const(op->type, 1 << bits));
        } else {
            expr = Mod::make(a, b);
        }
    }
};
