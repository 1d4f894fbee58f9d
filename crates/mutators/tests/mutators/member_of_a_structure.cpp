// Another method may leave a member of a structure undefined.
// wrong: unsupported

struct Saved {
    Expr value;
};

class Right : public IRMutator {
    Saved saved;

    Stmt Mutate_(const AttrStmt *op, const Stmt &s) final {
        saved.value = op->value;
        Stmt body = this->Mutate(op->body);
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
        return AttrStmt::make(op->node, op->attr_key, saved.value, body);
    }

    Stmt Mutate_(const Evaluate *op, const Stmt &s) final {
        saved.value = Expr();
        return s;
    }
};
