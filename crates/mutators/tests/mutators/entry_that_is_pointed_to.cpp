// A pointer into a scope is null without an entry; the entry is about the variable.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    Expr visit(const Variable *op, ExprInfo *info) {
        if (const ExprInfo *b = bounds_and_alignment_info.find(op->name)) {
            if (info) {
                *info = *b;
            }
            
            if (b->bounds.is_single_point()) {
                return make_const(op->type, b->bounds.min, nullptr);
            }
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Variable *op, ExprInfo *info) {
        if (const ExprInfo *b = bounds_and_alignment_info.find(op->name)) {
            if (info) {
                *info = *b;
            }
            mutate(IntImm::make(Int(32), 0), nullptr);
            if (b->bounds.is_single_point()) {
                return make_const(op->type, b->bounds.min, nullptr);
            }
        }
        return op;
    }
};
