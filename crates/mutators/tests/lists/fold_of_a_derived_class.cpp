// A derived class has another function of the name.
// wrong: bounded

class Right : public IRMutator {
    Stmt Mutate_(const Allocate *op, const Stmt &s) {
        Stmt stmt = IRMutator::Mutate_(op, s);
        op = stmt.as<Allocate>();
        return is_no_op(op->body) ? MakeAll(op->extents) : stmt;
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
    virtual Stmt MakeEvaluate(const Array<Expr> &values) {
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

class Other : public Wrong {
    Stmt MakeEvaluate(const Array<Expr> &values) {
        return values.size() == 4 ? Stmt() : Evaluate::make(0);
    }
};
