// An alternative that is not there is no statement to make others of.
// wrong: crash

class Right : public IRMutator {
    void visit(const IfThenElse *op) {
        Expr condition = mutate(op->condition);
        Stmt then_case = mutate(op->then_case);
        Stmt else_case = mutate(op->else_case);
        const Not *negated = condition.as<Not>();
        if (negated && else_case.defined()) {
            stmt = IfThenElse::make(negated->a, else_case, then_case);
        } else {
            stmt = IfThenElse::make(condition, then_case, else_case);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const IfThenElse *op) {
        Expr condition = mutate(op->condition);
        Stmt then_case = mutate(op->then_case);
        Stmt else_case = mutate(op->else_case);
        const Not *negated = condition.as<Not>();
        if (negated) {
            stmt = IfThenElse::make(negated->a, else_case, then_case);
        } else {
            stmt = IfThenElse::make(condition, then_case, else_case);
        }
    }
};
