// A number of a report is another one in a type of fewer bits.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    Expr visit(const Add *op, ExprInfo *info) {
        ExprInfo a_info, b_info;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        if (op->type == Int(32) && !is_const(a) && a_info.bounds.is_single_point()) {
            int64_t v = a_info.bounds.min;
            return Add::make(make_const(op->type, v), b);
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
            int16_t v = a_info.bounds.min;
            return Add::make(make_const(op->type, v), b);
        }
        return Add::make(a, b);
    }
};
