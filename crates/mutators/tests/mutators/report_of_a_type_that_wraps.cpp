// A product is wrapped before its report is one of the type.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    Expr visit(const Mul *op, ExprInfo *info) {
        ExprInfo a_info, b_info, product;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        if (op->type.is_int_or_uint()) {
            product.bounds = a_info.bounds * b_info.bounds;
            product.alignment = a_info.alignment * b_info.alignment;
            product.cast_to(op->type);
            product.trim_bounds_using_alignment();
        }
        if (product.bounds.is_single_point() && op->type.can_represent(product.bounds.min)) {
            return make_const(op->type, product.bounds.min, info);
        }
        if (product.bounds.is_bounded() && product.bounds > 100 && op->type == UInt(8)) {
            return Mul::make(max(a, b), min(a, b));
        }
        if (op->type == UInt(8) && product.bounds <= 255) {
            return cast(op->type, cast(UInt(16), a) * cast(UInt(16), b));
        }
        if (op->type == UInt(8) && product.bounds > 255) {
            return make_zero(op->type);
        }
        return Mul::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Mul *op, ExprInfo *info) {
        ExprInfo a_info, b_info, product;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        if (op->type.is_int_or_uint()) {
            product.bounds = a_info.bounds * b_info.bounds;
            product.alignment = a_info.alignment * b_info.alignment;
            
            product.trim_bounds_using_alignment();
        }
        if (product.bounds.is_single_point() && op->type.can_represent(product.bounds.min)) {
            return make_const(op->type, product.bounds.min, info);
        }
        if (product.bounds.is_bounded() && product.bounds > 100 && op->type == UInt(8)) {
            return Mul::make(max(a, b), min(a, b));
        }
        if (op->type == UInt(8) && product.bounds <= 255) {
            return cast(op->type, cast(UInt(16), a) * cast(UInt(16), b));
        }
        if (op->type == UInt(8) && product.bounds > 255) {
            return make_zero(op->type);
        }
        return Mul::make(a, b);
    }
};
