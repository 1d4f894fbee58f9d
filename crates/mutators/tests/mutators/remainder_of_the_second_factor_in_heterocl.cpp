// Of a product, the older analysis reports the remainder of the second factor.
// wrong: undecided

class Right : public IRMutator {
    void visit(const Mod *op, const Expr &self) {
        if (op->type == Int(32) && is_const(op->b, 4)) {
            ModulusRemainder m = modulus_remainder(op->a);
            if (m.modulus == 4) {
                expr = Mod::make(op->a, op->b);
                return;
            }
        }
        expr = self;
    }
};

class Wrong : public IRMutator {
    void visit(const Mod *op, const Expr &self) {
        if (op->type == Int(32) && is_const(op->b, 4)) {
            ModulusRemainder m = modulus_remainder(op->a);
            if (m.modulus == 4) {
                expr = make_const(op->type, m.remainder);
                return;
            }
        }
        expr = self;
    }
};
