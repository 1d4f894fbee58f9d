// A variable that is bound to what vanishes has an entry while the body is mutated.
// pass: RemoveUndef

class Right : public IRMutator {
    Scope<> dead_vars;
    Expr predicate;

    Stmt visit(const LetStmt *op) {
        Expr value = mutate(op->value);
        if (!value.defined()) {
            dead_vars.push(op->name);
        }
        Stmt body = mutate(op->body);
        if (!value.defined()) {
            dead_vars.pop(op->name);
            return body;
        }
        if (!body.defined()) {
            return LetStmt::make(op->name, value, Evaluate::make(0));
        }
        return LetStmt::make(op->name, value, body);
    }
};

class WrongWithoutAnEntry : public IRMutator {
    Scope<> dead_vars;
    Expr predicate;

    Stmt visit(const LetStmt *op) {
        Expr value = mutate(op->value);
        Stmt body = mutate(op->body);
        if (!value.defined()) {
            return body;
        }
        if (!body.defined()) {
            return LetStmt::make(op->name, value, Evaluate::make(0));
        }
        return LetStmt::make(op->name, value, body);
    }

    Expr visit(const Variable *op) {
        return dead_vars.contains(op->name) ? Expr() : Expr(op);
    }
};

class WrongEntryForEveryVariable : public IRMutator {
    Scope<> dead_vars;
    Expr predicate;

    Stmt visit(const LetStmt *op) {
        Expr value = mutate(op->value);
        dead_vars.push(op->name);
        Stmt body = mutate(op->body);
        dead_vars.pop(op->name);
        if (!value.defined()) {
            return body;
        }
        if (!body.defined()) {
            return LetStmt::make(op->name, value, Evaluate::make(0));
        }
        return LetStmt::make(op->name, value, body);
    }
};

class WrongBodyBefore : public IRMutator {
    Scope<> dead_vars;
    Expr predicate;

    Stmt visit(const LetStmt *op) {
        Stmt body = mutate(op->body);
        Expr value = mutate(op->value);
        if (!value.defined()) {
            return body;
        }
        if (!body.defined()) {
            return LetStmt::make(op->name, value, Evaluate::make(0));
        }
        return LetStmt::make(op->name, value, body);
    }
};

class WrongNothing : public IRMutator {
    Scope<> dead_vars;
    Expr predicate;

    Stmt visit(const LetStmt *op) {
        Expr value = mutate(op->value);
        if (!value.defined()) {
            return Stmt();
        }
        Stmt body = mutate(op->body);
        if (!body.defined()) {
            return LetStmt::make(op->name, value, Evaluate::make(0));
        }
        return LetStmt::make(op->name, value, body);
    }
};
