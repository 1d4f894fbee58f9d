// C++ makes a negative number unsigned where it is compared with an unsigned one.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    Expr visit(const LT *op, ExprInfo *info) {
        ExprInfo a_info, b_info;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        if (op->a.type() == Int(32) && !is_const(a) && a_info.bounds.min_defined &&
            a_info.bounds.min > 5 && is_const(b, 3)) {
            return const_false(op->type.lanes());
        }
        return LT::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const LT *op, ExprInfo *info) {
        ExprInfo a_info, b_info;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        if (op->a.type() == Int(32) && !is_const(a) && a_info.bounds.min_defined &&
            a_info.bounds.min > (uint64_t)5 && is_const(b, 3)) {
            return const_false(op->type.lanes());
        }
        return LT::make(a, b);
    }
};
