// What is substituted where a condition was true may be false after a store.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Stmt visit(const IfThenElse *op) {
        Expr condition = mutate(op->condition, nullptr);
        Stmt then_case = mutate(op->then_case);
        if (is_pure(condition)) {
            auto f = scoped_truth(condition);
            then_case = f.substitute_facts(then_case);
        }
        return IfThenElse::make(condition, then_case, mutate(op->else_case));
    }
};

class Wrong : public IRMutator {
    Stmt visit(const IfThenElse *op) {
        Expr condition = mutate(op->condition, nullptr);
        Stmt then_case = mutate(op->then_case);
        if (condition.defined()) {
            auto f = scoped_truth(condition);
            then_case = f.substitute_facts(then_case);
        }
        return IfThenElse::make(condition, then_case, mutate(op->else_case));
    }
};
