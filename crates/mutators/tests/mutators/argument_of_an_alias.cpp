// An argument of a type by another name may be undefined.
// wrong: undecided

using Value = Expr;

class Right : public IRMutator {
    Value saved;

    Stmt Mutate_(const AttrStmt *op, const Stmt &s) final {
        saved = op->value;
        Stmt body = this->Mutate(op->body);
        Expr last = saved;
        if (last.defined()) {
            Expr next = Simplify(last);
        }
        return AttrStmt::make(op->node, op->attr_key, op->value, body);
    }

    Stmt Mutate_(const Evaluate *op, const Stmt &s) final {
        saved = Expr();
        return s;
    }
};

class Wrong : public IRMutator {
    Value saved;

    Stmt Mutate_(const AttrStmt *op, const Stmt &s) final {
        saved = op->value;
        Stmt body = this->Mutate(op->body);
        Expr next = Simplify(saved);
        return AttrStmt::make(op->node, op->attr_key, op->value, body);
    }

    Stmt Mutate_(const Evaluate *op, const Stmt &s) final {
        saved = Expr();
        return s;
    }
};
