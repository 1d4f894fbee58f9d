// Another method may leave a member of a type by another name undefined.
// wrong: unsupported

using Value = Expr;

class Right : public IRMutator {
    Value last;

    Stmt Mutate_(const AttrStmt *op, const Stmt &s) final {
        last = op->value;
        Stmt body = this->Mutate(op->body);
        return AttrStmt::make(op->node, op->attr_key, op->value, body);
    }

    Stmt Mutate_(const Evaluate *op, const Stmt &s) final {
        last = Expr();
        return s;
    }
};

class Wrong : public IRMutator {
    Value last;

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
