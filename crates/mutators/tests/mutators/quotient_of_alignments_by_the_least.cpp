// The alignment of a quotient by the least number of 64 bits does not hold it.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Expr visit(const Div *op, ExprInfo *info) {
        ExprInfo a_info, b_info;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        ModulusRemainder q = a_info.alignment / b_info.alignment;
        if (op->type == Int(32) && q.modulus == 0 && is_const(b)) {
            return make_const(op->type, q.remainder);
        }
        return Div::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Div *op, ExprInfo *info) {
        ExprInfo a_info, b_info;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        ModulusRemainder q = a_info.alignment / b_info.alignment;
        if (op->type == Int(64) && q.modulus == 0 && is_const(b)) {
            return make_const(op->type, q.remainder);
        }
        return Div::make(a, b);
    }
};
