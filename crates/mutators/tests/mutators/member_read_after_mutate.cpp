// Another method may leave a member undefined.
// wrong: undecided

class Right : public IRMutator {
    Expr last;

    Stmt Mutate_(const AttrStmt *op, const Stmt &s) final {
        last = op->value;
        Stmt body = this->Mutate(op->body);
        Expr kept = last;
        if (!kept.defined()) {
            return AttrStmt::make(op->node, op->attr_key, op->value, body);
        }
        return AttrStmt::make(op->node, op->attr_key, kept, body);
    }

    Stmt Mutate_(const Evaluate *op, const Stmt &s) final {
        last = Expr();
        return s;
    }
};

class Wrong : public IRMutator {
    Expr last;

    Stmt Mutate_(const AttrStmt *op, const Stmt &s) final {
        last = op->value;
        Stmt body = this->Mutate(op->body);
        return AttrStmt::make(op->node, op->attr_key, last, body);
    }

    Stmt Mutate_(const Evaluate *op, const Stmt &s) final {
        last = Expr();
        return s;
    }
};
