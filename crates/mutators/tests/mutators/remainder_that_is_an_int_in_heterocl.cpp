// The older analysis computes with `int`: of the literal 4294967297 it reports 1.
// wrong: undecided

class Right : public IRMutator {
    void visit(const Mod *op, const Expr &self) {
        if (op->type == Int(64) && is_const(op->b, 3) && is_const(op->a, 1)) {
            ModulusRemainder m = modulus_remainder(op->a);
            if (m.modulus == 0 && m.remainder == 1) {
                expr = make_one(op->type);
                return;
            }
        }
        expr = self;
    }
};

class Wrong : public IRMutator {
    void visit(const Mod *op, const Expr &self) {
        if (op->type == Int(64) && is_const(op->b, 3)) {
            ModulusRemainder m = modulus_remainder(op->a);
            if (m.modulus == 0 && m.remainder == 1) {
                expr = make_one(op->type);
                return;
            }
        }
        expr = self;
    }
};
