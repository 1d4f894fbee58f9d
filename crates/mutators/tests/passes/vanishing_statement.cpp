// A part that vanishes does nothing; the other parts stay, in their order.
// pass: RemoveUndef

class Right : public IRMutator {
    Expr predicate;

    Stmt visit(const Block *op) {
        Stmt first = mutate(op->first);
        Stmt rest = mutate(op->rest);
        if (!first.defined()) {
            return rest;
        }
        if (!rest.defined()) {
            return first;
        }
        return Block::make(first, rest);
    }
};

class WrongNothing : public IRMutator {
    Expr predicate;

    Stmt visit(const Block *op) {
        Stmt first = mutate(op->first);
        Stmt rest = mutate(op->rest);
        if (!first.defined() || !rest.defined()) {
            return Stmt();
        }
        return Block::make(first, rest);
    }
};

class WrongOrder : public IRMutator {
    Expr predicate;

    Stmt visit(const Block *op) {
        Stmt first = mutate(op->first);
        Stmt rest = mutate(op->rest);
        if (!first.defined()) {
            return rest;
        }
        if (!rest.defined()) {
            return first;
        }
        return Block::make(rest, first);
    }
};

class WrongArm : public IRMutator {
    Expr predicate;

    Stmt visit(const IfThenElse *op) {
        Expr condition = mutate(op->condition);
        if (!condition.defined()) {
            return Stmt();
        }
        Stmt then_case = mutate(op->then_case);
        Stmt else_case = mutate(op->else_case);
        if (!then_case.defined()) {
            return else_case;
        }
        return IfThenElse::make(condition, then_case, else_case);
    }
};

class WrongLoop : public IRMutator {
    Expr predicate;

    Stmt visit(const For *op) {
        Expr min = mutate(op->min);
        Expr extent = mutate(op->extent);
        Stmt body = mutate(op->body);
        if (!min.defined() || !extent.defined() || !body.defined()) {
            return Stmt();
        }
        return body;
    }
};
