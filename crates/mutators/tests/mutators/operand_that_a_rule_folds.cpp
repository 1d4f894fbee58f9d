// The arms of a choice change places where its condition compares literals, which a rule folds.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Expr visit(const Select *op, ExprInfo *info) {
        Expr condition = mutate(op->condition, nullptr);
        Expr true_value = mutate(op->true_value, nullptr);
        Expr false_value = mutate(op->false_value, nullptr);
        const LT *lt = op->condition.as<LT>();
        if (lt && is_const(lt->a) && is_const(lt->b)) {
            return Select::make(condition, true_value, false_value);
        }
        return Select::make(condition, true_value, false_value);
    }
    Expr visit(const LT *op, ExprInfo *info) {
        ExprInfo a_info, b_info;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        auto rewrite = IRMatcher::rewriter(IRMatcher::lt(a, b), op->type);
        if (rewrite(c0 < c1, fold(c0 < c1)) || rewrite(x < x, false)) {
            return rewrite.result;
        }
        return LT::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Select *op, ExprInfo *info) {
        Expr condition = mutate(op->condition, nullptr);
        Expr true_value = mutate(op->true_value, nullptr);
        Expr false_value = mutate(op->false_value, nullptr);
        const LT *lt = op->condition.as<LT>();
        if (lt && is_const(lt->a) && is_const(lt->b)) {
            return Select::make(condition, false_value, true_value);
        }
        return Select::make(condition, true_value, false_value);
    }
    Expr visit(const LT *op, ExprInfo *info) {
        ExprInfo a_info, b_info;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        auto rewrite = IRMatcher::rewriter(IRMatcher::lt(a, b), op->type);
        if (rewrite(c0 < c1, fold(c0 < c1)) || rewrite(x < x, false)) {
            return rewrite.result;
        }
        return LT::make(a, b);
    }
};
