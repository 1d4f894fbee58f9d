// A function that is given the place of a report may be given null, and so may a negated question.
// wrong: crash
// profile: halide

class Right : public IRMutator {
    void fill(ExprInfo *info, const ExprInfo &by) {
        bool is_missing = !info;
        if (is_missing) {
            return;
        }
        *info = by;
    }

    Expr visit(const Not *op, ExprInfo *info) {
        ExprInfo a_info;
        Expr a = mutate(op->a, &a_info);
        fill(info, a_info);
        return Not::make(a);
    }
};

class Wrong : public IRMutator {
    void set(ExprInfo *info, const ExprInfo &by) {
        bool is_missing = !info;
        if (!is_missing) {
            return;
        }
        *info = by;
    }

    Expr visit(const Not *op, ExprInfo *info) {
        ExprInfo a_info;
        Expr a = mutate(op->a, &a_info);
        set(info, a_info);
        return Not::make(a);
    }
};
