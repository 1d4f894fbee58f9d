// A number of a report is not its negation.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    Expr visit(const Add *op, ExprInfo *info) {
        ExprInfo a_info, b_info;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        if (op->type == Int(32) && !is_const(a) && a_info.bounds.is_single_point()) {
            return Add::make(make_const(op->type, a_info.bounds.min), b);
        }
        return Add::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Add *op, ExprInfo *info) {
        ExprInfo a_info, b_info;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        if (op->type == Int(32) && !is_const(a) && a_info.bounds.is_single_point()) {
            return Add::make(make_const(op->type, -a_info.bounds.min), b);
        }
        return Add::make(a, b);
    }
};
