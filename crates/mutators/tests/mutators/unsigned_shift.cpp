// The number of bits to shift by may have another sign than the shifted number.
// wrong: type

class Right : public IRMutator {
    Expr visit(const Call *op) {
        if (op->is_intrinsic(Call::shift_right)) {
            Expr a = mutate(op->args[0]), b = mutate(op->args[1]);
            if (is_zero(b)) {
                return a;
            }
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Call *op) {
        if (op->is_intrinsic(Call::shift_right)) {
            Expr a = mutate(op->args[0]), b = mutate(op->args[1]);
            if (b.type().is_uint() && a.type().is_int()) {
                return b;
            }
        }
        return op;
    }
};
