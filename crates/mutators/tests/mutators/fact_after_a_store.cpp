// A condition that reads memory may be false after a statement.
// wrong: undecided

class Right : public IRMutator {
    std::set<Expr, IRDeepCompare> truths;

    Stmt visit(const IfThenElse *op) {
        const Variable *v = op->condition.as<Variable>();
        if (!v) {
            return op;
        }
        truths.insert(op->condition);
        Stmt then_case = mutate(op->then_case);
        truths.erase(op->condition);
        return IfThenElse::make(op->condition, then_case, op->else_case);
    }
};

class Wrong : public IRMutator {
    std::set<Expr, IRDeepCompare> truths;

    Stmt visit(const IfThenElse *op) {
        truths.insert(op->condition);
        Stmt then_case = mutate(op->then_case);
        truths.erase(op->condition);
        return IfThenElse::make(op->condition, then_case, op->else_case);
    }
};
