// A reported remainder may be beyond its modulus.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    Expr visit(const Mod *op, ExprInfo *info) {
        ExprInfo a_info, b_info;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        if (op->type == Int(32) && !is_const(a) && is_const(b, 4) &&
            a_info.alignment.modulus == 4 && a_info.alignment.remainder == 1) {
            return make_const(op->type, 1);
        }
        return Mod::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Mod *op, ExprInfo *info) {
        ExprInfo a_info, b_info;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        if (op->type == Int(32) && !is_const(a) && is_const(b, 4) &&
            a_info.alignment.modulus == 4) {
            return make_const(op->type, a_info.alignment.remainder);
        }
        return Mod::make(a, b);
    }
};
