// A report is trimmed by the alignment of the same value alone.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Expr visit(const Min *op, ExprInfo *info) {
        ExprInfo a_info, b_info, least;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        if (op->type.is_int_or_uint()) {
            least.bounds = min(a_info.bounds, b_info.bounds);
            least.alignment = ModulusRemainder::unify(a_info.alignment, b_info.alignment);
            least.trim_bounds_using_alignment();
        }
        if (least.bounds.is_single_point()) {
            return make_const(op->type, least.bounds.min, info);
        }
        return Min::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Min *op, ExprInfo *info) {
        ExprInfo a_info, b_info, least;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        if (op->type.is_int_or_uint()) {
            least.bounds = min(a_info.bounds, b_info.bounds);
            least.alignment = a_info.alignment;
            least.trim_bounds_using_alignment();
        }
        if (least.bounds.is_single_point()) {
            return make_const(op->type, least.bounds.min, info);
        }
        return Min::make(a, b);
    }
};
