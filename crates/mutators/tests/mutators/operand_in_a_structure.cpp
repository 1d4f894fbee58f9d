// An operand that is a member of a structure may be undefined.
// wrong: unsupported

struct Saved {
    Expr value;
};

class Right : public IRMutator {
    Saved saved;

    Stmt Mutate_(const AttrStmt *op, const Stmt &s) final {
        saved.value = op->value;
        Stmt body = this->Mutate(op->body);
        Expr last = saved.value;
        if (last.defined()) {
            Expr next = last + 1;
        }
        return AttrStmt::make(op->node, op->attr_key, op->value, body);
    }

    Stmt Mutate_(const Evaluate *op, const Stmt &s) final {
        saved.value = Expr();
        return s;
    }
};

class Wrong : public IRMutator {
    Saved saved;

    Stmt Mutate_(const AttrStmt *op, const Stmt &s) final {
        saved.value = op->value;
        Stmt body = this->Mutate(op->body);
        Expr next = saved.value + 1;
        return AttrStmt::make(op->node, op->attr_key, op->value, body);
    }

    Stmt Mutate_(const Evaluate *op, const Stmt &s) final {
        saved.value = Expr();
        return s;
    }
};
