// HeteroCL's literals keep numbers that their types do not hold.
// wrong: unsupported

class Right : public IRMutator {
    void visit(const Max *op, const Expr &self) {
        expr = self;
        if (op->type.is_uint() && op->type.bits() == 8) {
            Expr zero = make_const(op->type, 0);
            if (!is_zero(zero)) {
                expr = op->a;
            }
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Max *op, const Expr &self) {
        expr = self;
        if (op->type.is_uint() && op->type.bits() == 8) {
            Expr zero = make_const(op->type, 256);
            if (!is_zero(zero)) {
                expr = op->a;
            }
        }
    }
};
