// A fold makes a statement of each element; one that counts does not.
// wrong: bounded

class Right : public IRMutator {
    Stmt Mutate_(const Allocate *op, const Stmt &s) {
        Stmt stmt = IRMutator::Mutate_(op, s);
        op = stmt.as<Allocate>();
        return is_no_op(op->body) ? MakeAll(op->extents) : stmt;
    }
    Stmt MakeAll(Expr value) {
        return HasSideEffect(value) ? Evaluate::make(value) : Evaluate::make(0);
    }
    Stmt MakeAll(const Array<Expr> &values) {
        Stmt stmt;
        for (Expr e : values) {
            if (HasSideEffect(e)) {
                if (stmt.defined()) {
                    stmt = Block::make(stmt, Evaluate::make(e));
                } else {
                    stmt = Evaluate::make(e);
                }
            }
        }
        return stmt.defined() ? stmt : Evaluate::make(0);
    }
};

class Wrong : public IRMutator {
    Stmt Mutate_(const Allocate *op, const Stmt &s) {
        Stmt stmt = IRMutator::Mutate_(op, s);
        op = stmt.as<Allocate>();
        return is_no_op(op->body) ? MakeEvaluate(op->extents) : stmt;
    }
    Stmt MakeEvaluate(const Array<Expr> &values) {
        Stmt stmt;
        int count = 0;
        for (Expr e : values) {
            if (HasSideEffect(e) && count++ < 4) {
                if (stmt.defined()) {
                    stmt = Block::make(stmt, Evaluate::make(e));
                } else {
                    stmt = Evaluate::make(e);
                }
            }
        }
        return stmt.defined() ? stmt : Evaluate::make(0);
    }
};
