// Behind a semaphore, memory may hold what another task stored.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    Stmt visit(const Acquire *op) override {
        Expr semaphore = mutate(op->semaphore);
        Expr count = mutate(op->count);
        Stmt body = mutate(op->body);
        const IfThenElse *choice = body.as<IfThenElse>();
        if (choice && is_const_one(choice->condition)) {
            return Acquire::make(semaphore, count, choice->then_case);
        }
        return Acquire::make(semaphore, count, body);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Acquire *op) override {
        Expr semaphore = mutate(op->semaphore);
        Expr count = mutate(op->count);
        Stmt body = mutate(op->body);
        const IfThenElse *choice = body.as<IfThenElse>();
        if (choice && choice->else_case.defined()) {
            Stmt then_case = Acquire::make(semaphore, count, choice->then_case);
            Stmt else_case = Acquire::make(semaphore, count, choice->else_case);
            return IfThenElse::make(choice->condition, then_case, else_case);
        }
        return Acquire::make(semaphore, count, body);
    }
};
