// A loop that only adds reports does nothing else.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    Expr visit(const VectorReduce *op, ExprInfo *info) {
        Expr value = mutate(op->value, info);
        const int factor = op->value.type().lanes() / op->type.lanes();
        bool is_long = false;
        if (info) {
            ModulusRemainder one = info->alignment;
            for (int i = 1; i < factor; i++) {
                info->alignment = info->alignment + one;
                
            }
        }
        if (is_long) {
            return make_zero(op->type);
        }
        return VectorReduce::make(op->op, value, op->type.lanes());
    }
};

class Wrong : public IRMutator {
    Expr visit(const VectorReduce *op, ExprInfo *info) {
        Expr value = mutate(op->value, info);
        const int factor = op->value.type().lanes() / op->type.lanes();
        bool is_long = false;
        if (info) {
            ModulusRemainder one = info->alignment;
            for (int i = 1; i < factor; i++) {
                info->alignment = info->alignment + one;
                is_long = true;
            }
        }
        if (is_long) {
            return make_zero(op->type);
        }
        return VectorReduce::make(op->op, value, op->type.lanes());
    }
};
