// What a statement keeps must not hold `undef`: it was mutated, or always has a value.
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

class RightBranch : public IRMutator {
    Expr predicate;

    Stmt visit(const IfThenElse *op) {
        Expr condition = mutate(op->condition);
        Stmt then_case = mutate(op->then_case);
        Stmt else_case = mutate(op->else_case);
        if (!condition.defined()) {
            return Stmt();
        }
        if (!then_case.defined() && !else_case.defined()) {
            return Stmt();
        }
        if (!then_case.defined()) {
            return IfThenElse::make(Not::make(condition), else_case);
        }
        if (condition.same_as(op->condition) && then_case.same_as(op->then_case) &&
            else_case.same_as(op->else_case)) {
            return op;
        }
        return IfThenElse::make(condition, then_case, else_case);
    }
};

class WrongStore : public IRMutator {
    Expr predicate;

    Stmt visit(const Store *op) {
        return op;
    }
};

class WrongProvide : public IRMutator {
    Expr predicate;

    Stmt visit(const Provide *op) {
        return op;
    }
};

class WrongIfThenElse : public IRMutator {
    Expr predicate;

    Stmt visit(const IfThenElse *op) {
        return op;
    }
};

class WrongBlock : public IRMutator {
    Expr predicate;

    Stmt visit(const Block *op) {
        return op;
    }
};

class WrongFor : public IRMutator {
    Expr predicate;

    Stmt visit(const For *op) {
        return op;
    }
};

class WrongLetStmt : public IRMutator {
    Expr predicate;

    Stmt visit(const LetStmt *op) {
        return op;
    }
};

class WrongEvaluate : public IRMutator {
    Expr predicate;

    Stmt visit(const Evaluate *op) {
        return op;
    }
};

class WrongAllocate : public IRMutator {
    Expr predicate;

    Stmt visit(const Allocate *op) {
        return op;
    }
};

class WrongProducerConsumer : public IRMutator {
    Expr predicate;

    Stmt visit(const ProducerConsumer *op) {
        return op;
    }
};

class WrongBindingThatIsKept : public IRMutator {
    Expr predicate;

    Stmt visit(const LetStmt *op) {
        Stmt body = mutate(op->body);
        if (!body.defined()) {
            return Stmt();
        }
        return LetStmt::make(op->name, op->value, body);
    }
};

class WrongArmThatIsKept : public IRMutator {
    Expr predicate;

    Stmt visit(const IfThenElse *op) {
        Expr condition = mutate(op->condition);
        Stmt then_case = mutate(op->then_case);
        if (!condition.defined() || !then_case.defined()) {
            return op;
        }
        return IfThenElse::make(condition, then_case, op->else_case);
    }
};

class WrongRest : public IRMutator {
    Expr predicate;

    Stmt visit(const Block *op) {
        Stmt first = mutate(op->first);
        if (!first.defined()) {
            return op->rest;
        }
        return Block::make(first, op->rest);
    }
};

class WrongValueThatIsKept : public IRMutator {
    Expr predicate;

    Expr visit(const Let *op) {
        Expr body = mutate(op->body);
        if (!body.defined()) {
            return Expr();
        }
        return Let::make(op->name, op->value, body);
    }
};
