// The literal 1 is an int: shifted by 31 it is the least of its type.
// wrong: wrong

class Right : public IRMutator {
    void visit(const Mul *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        int bits = 0;
        if (op->type.is_uint() && op->type.bits() == 32 && is_const_power_of_two_integer(b, &bits)) {
            expr = Mul::make(a, make_const(op->type, (uint64_t)1 << bits));
        } else {
            expr = Mul::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Mul *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        int bits = 0;
        if (op->type.is_int() && op->type.bits() == 64 && is_const_power_of_two_integer(b, &bits) && bits < 32) {
            expr = Mul::make(a, make_const(op->type, 1 << bits));
        } else {
            expr = Mul::make(a, b);
        }
    }
};
