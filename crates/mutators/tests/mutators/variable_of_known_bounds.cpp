// A variable whose bounds are one number is that number, not what it leaves.
// wrong: undecided

class Right : public IRMutator {
    Expr visit(const Variable *op, ExprInfo *bounds) {
        if (bounds_and_alignment_info.contains(op->name)) {
            const ExprInfo &b = bounds_and_alignment_info.get(op->name);
            if (op->type.is_int() && op->type.bits() == 32 && b.min_defined && b.max_defined && b.min == b.max) {
                return make_const(op->type, b.min);
            }
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Variable *op, ExprInfo *bounds) {
        if (bounds_and_alignment_info.contains(op->name)) {
            const ExprInfo &b = bounds_and_alignment_info.get(op->name);
            if (op->type.is_int() && op->type.bits() == 32 && b.min_defined && b.max_defined && b.min == b.max) {
                return make_const(op->type, b.alignment.modulus);
            }
        }
        return op;
    }
};
