// Where the stored value is missing, nothing is stored.
// pass: RemoveUndef
// profile: heterocl

class Right : public IRMutator {
    Expr predicate;

    Stmt visit(const Store *op) {
        predicate = Expr();
        Expr value = mutate(op->value);
        if (!value.defined()) {
            return Stmt();
        }
        Stmt store = Store::make(op->name, value, op->index, op->predicate);
        if (predicate.defined()) {
            store = IfThenElse::make(predicate, store);
        }
        predicate = Expr();
        return store;
    }
};

class WrongWithoutTheGuard : public IRMutator {
    Expr predicate;

    Stmt visit(const Store *op) {
        predicate = Expr();
        Expr value = mutate(op->value);
        if (!value.defined()) {
            return Stmt();
        }
        return Store::make(op->name, value, op->index, op->predicate);
    }
};

class WrongGuardFromBefore : public IRMutator {
    Expr predicate;

    Stmt visit(const Store *op) {
        Expr value = mutate(op->value);
        if (!value.defined()) {
            return Stmt();
        }
        Stmt store = Store::make(op->name, value, op->index, op->predicate);
        if (predicate.defined()) {
            store = IfThenElse::make(predicate, store);
        }
        return store;
    }
};

class WrongNegation : public IRMutator {
    Expr predicate;

    Stmt visit(const Store *op) {
        predicate = Expr();
        Expr value = mutate(op->value);
        if (!value.defined()) {
            return Stmt();
        }
        Stmt store = Store::make(op->name, value, op->index, op->predicate);
        if (predicate.defined()) {
            store = IfThenElse::make(!predicate, store);
        }
        return store;
    }
};

class WrongNothing : public IRMutator {
    Expr predicate;

    Stmt visit(const Store *op) {
        predicate = Expr();
        Expr value = mutate(op->value);
        if (!value.defined() || predicate.defined()) {
            return Stmt();
        }
        return Store::make(op->name, value, op->index, op->predicate);
    }
};
