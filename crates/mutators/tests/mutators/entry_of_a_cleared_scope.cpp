// A pointer into a scope ends where an entry may be removed from the scope.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    Scope<ExprInfo> bounds_and_alignment_info;

    Expr visit(const Variable *op, ExprInfo *info) {
        const ExprInfo *b = bounds_and_alignment_info.find(op->name);
        if (b && b->bounds.is_single_point()) {
            return make_const(op->type, b->bounds.min);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Scope<ExprInfo> bounds_and_alignment_info;

    Expr visit(const Variable *op, ExprInfo *info) {
        const ExprInfo *b = bounds_and_alignment_info.find(op->name);
        bounds_and_alignment_info.clear();
        if (b && b->bounds.is_single_point()) {
            return make_const(op->type, b->bounds.min);
        }
        return op;
    }
};
