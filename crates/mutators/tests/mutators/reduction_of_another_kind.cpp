// A rule of one reduction says nothing of another one.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    Expr visit(const VectorReduce *op, ExprInfo *info) {
        Expr value = mutate(op->value, info);
        const int lanes = op->type.lanes();
        switch (op->op) {
        case VectorReduce::Min: {
            auto rewrite = IRMatcher::rewriter(IRMatcher::h_min(value, lanes), op->type);
            if (rewrite(h_min(broadcast(x, c0), 1), h_min(x, 1))) {
                return rewrite.result;
            }
            break;
        }
        default:
            break;
        }
        return VectorReduce::make(op->op, value, op->type.lanes());
    }
};

class Wrong : public IRMutator {
    Expr visit(const VectorReduce *op, ExprInfo *info) {
        Expr value = mutate(op->value, info);
        const int lanes = op->type.lanes();
        switch (op->op) {
        case VectorReduce::Max: {
            auto rewrite = IRMatcher::rewriter(IRMatcher::h_min(value, lanes), op->type);
            if (rewrite(h_min(broadcast(x, c0), 1), h_min(x, 1))) {
                return rewrite.result;
            }
            break;
        }
        default:
            break;
        }
        return VectorReduce::make(op->op, value, op->type.lanes());
    }
};
