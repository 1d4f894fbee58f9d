// What a condition says of a buffer holds until the body writes it.
// wrong: wrong
// right: partial

class Right : public IRMutator {
    void visit(const IfThenElse *op) {
        Expr condition = mutate(op->condition);
        Stmt then_case = mutate(op->then_case);
        Stmt else_case = mutate(op->else_case);
        const EQ *eq = condition.as<EQ>();
        if (eq && eq->a.as<Variable>() && is_const(eq->b)) {
            then_case = mutate(substitute(eq->a.as<Variable>(), eq->b, then_case));
        }
        stmt = IfThenElse::make(condition, then_case, else_case);
    }
};

class Wrong : public IRMutator {
    void visit(const IfThenElse *op) {
        Expr condition = mutate(op->condition);
        Stmt then_case = mutate(op->then_case);
        Stmt else_case = mutate(op->else_case);
        const EQ *eq = condition.as<EQ>();
        if (eq && is_const(eq->b)) {
            then_case = mutate(substitute(eq->a, eq->b, then_case));
        }
        stmt = IfThenElse::make(condition, then_case, else_case);
    }
};
