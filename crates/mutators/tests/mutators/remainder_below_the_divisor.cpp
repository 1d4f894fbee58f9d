// A number that is not negative and below the divisor is its own remainder.
// wrong: wrong
// profile: halide-to-hardware

class Right : public IRMutator {
    Expr visit(const Mod *op, ExprInfo *bounds) {
        ExprInfo a_info, b_info;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        if (a_info.min_defined && a_info.min >= 0 && a_info.max_defined && b_info.min_defined &&
            a_info.max < b_info.min) {
            return a;
        }
        return Mod::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Mod *op, ExprInfo *bounds) {
        ExprInfo a_info, b_info;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        if (a_info.min_defined && a_info.min >= 0 && a_info.max_defined && b_info.min_defined &&
            a_info.max <= b_info.min) {
            return a;
        }
        return Mod::make(a, b);
    }
};
