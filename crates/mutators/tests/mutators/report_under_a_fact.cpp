// What is reported under a condition need not hold without it.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    Expr visit(const Select *op, ExprInfo *info) {
        ExprInfo t_info;
        Expr c = mutate(op->condition, nullptr);
        Expr t = mutate(op->true_value, &t_info);
        Expr e = mutate(op->false_value, nullptr);
        if (op->type == Int(32) && t_info.bounds >= 0) {
            return Select::make(c, t, e) + (max(t, 0) - t);
        }
        return Select::make(c, t, e);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Select *op, ExprInfo *info) {
        ExprInfo t_info;
        Expr c = mutate(op->condition, nullptr);
        Expr t;
        {
            auto f = scoped_truth(c);
            t = mutate(op->true_value, &t_info);
        }
        Expr e = mutate(op->false_value, nullptr);
        if (op->type == Int(32) && t_info.bounds >= 0) {
            return Select::make(c, t, e) + (max(t, 0) - t);
        }
        return Select::make(c, t, e);
    }
};
