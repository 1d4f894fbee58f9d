// What leaves the remainder 1 by 2 is not 0.
// wrong: wrong

class Right : public IRMutator {
    Expr visit(const EQ *op, ExprInfo *info) {
        ExprInfo a_info;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, nullptr);
        const ModulusRemainder &of = a_info.alignment;
        if (is_zero(b) && of.modulus == 2 && of.remainder == 1) {
            return const_false(op->type.lanes());
        }
        return EQ::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const EQ *op, ExprInfo *info) {
        ExprInfo a_info;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, nullptr);
        const ModulusRemainder &of = a_info.alignment;
        if (is_zero(b) && of.modulus == 0 && of.remainder == 0) {
            return const_false(op->type.lanes());
        }
        return EQ::make(a, b);
    }
};
