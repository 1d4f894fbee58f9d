// Intervals that `mutate` reports are compared as a whole.
// wrong: wrong

class Right : public IRMutator {
    Expr visit(const LT *op, ExprInfo *info) {
        ExprInfo a_info, b_info;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        if (a_info.bounds < b_info.bounds) {
            return const_true(op->type.lanes());
        } else if (a_info.bounds >= b_info.bounds) {
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
        if (a_info.bounds <= b_info.bounds) {
            return const_true(op->type.lanes());
        } else if (a_info.bounds >= b_info.bounds) {
            return const_false(op->type.lanes());
        }
        return LT::make(a, b);
    }
};
