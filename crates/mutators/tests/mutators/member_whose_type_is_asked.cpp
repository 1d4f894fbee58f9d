// Another method may leave a member undefined whose type is asked.
// wrong: unsupported

class Right : public IRMutator {
    Expr last;

    Stmt Mutate_(const AttrStmt *op, const Stmt &s) final {
        last = op->value;
        Stmt body = this->Mutate(op->body);
        if (last.defined()) {
            body = AttrStmt::make(op->node, op->attr_key, op->value, body);
            return body;
        }
        return AttrStmt::make(op->node, op->attr_key, op->value, body);
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
        bool is_int = last.type() == Int(32);
        return AttrStmt::make(op->node, op->attr_key, is_int ? op->value : op->value, body);
    }

    Stmt Mutate_(const Evaluate *op, const Stmt &s) final {
        last = Expr();
        return s;
    }
};
