// A counter of eight bits never reaches a limit above 255.
// wrong: bounded
// profile: halide

class Right : public IRMutator {
    Expr visit(const VectorReduce *op, ExprInfo *info) {
        Expr value = mutate(op->value, info);
        const int factor = op->value.type().lanes() / op->type.lanes();
        if (info) {
            ModulusRemainder one = info->alignment;
            for (int i = 1; i < factor; i++) {
                info->alignment = info->alignment + one;
            }
        }
        return VectorReduce::make(op->op, value, op->type.lanes());
    }
};

class Wrong : public IRMutator {
    Expr visit(const VectorReduce *op, ExprInfo *info) {
        Expr value = mutate(op->value, info);
        const int factor = op->value.type().lanes() / op->type.lanes();
        if (info) {
            ModulusRemainder one = info->alignment;
            for (uint8_t i = 1; i < factor; i++) {
                info->alignment = info->alignment + one;
            }
        }
        return VectorReduce::make(op->op, value, op->type.lanes());
    }
};
