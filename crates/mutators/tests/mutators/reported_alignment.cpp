// What leaves a remainder other than 0 is not 0.
// wrong: wrong

class Right : public IRMutator {
    Expr visit(const EQ *op, ExprInfo *info) {
        ExprInfo a_info;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, nullptr);
        if (is_zero(b) && (!a_info.bounds.contains(0) || a_info.alignment.remainder != 0)) {
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
        if (is_zero(b) && (a_info.bounds.contains(0) || a_info.alignment.remainder != 0)) {
            return const_false(op->type.lanes());
        }
        return EQ::make(a, b);
    }
};
