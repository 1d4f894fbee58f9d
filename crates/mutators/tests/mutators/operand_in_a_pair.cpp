// An operand that is a part of a pair may be undefined.
// wrong: unsupported

class Right : public IRMutator {
    std::pair<int, Expr> saved;

    Stmt Mutate_(const AttrStmt *op, const Stmt &s) final {
        saved.second = op->value;
        Stmt body = this->Mutate(op->body);
        Expr last = saved.second;
        if (last.defined()) {
            Expr next = last + 1;
        }
        return AttrStmt::make(op->node, op->attr_key, op->value, body);
    }

    Stmt Mutate_(const Evaluate *op, const Stmt &s) final {
        saved.second = Expr();
        return s;
    }
};

class Wrong : public IRMutator {
    std::pair<int, Expr> saved;

    Stmt Mutate_(const AttrStmt *op, const Stmt &s) final {
        saved.second = op->value;
        Stmt body = this->Mutate(op->body);
        Expr next = saved.second + 1;
        return AttrStmt::make(op->node, op->attr_key, op->value, body);
    }

    Stmt Mutate_(const Evaluate *op, const Stmt &s) final {
        saved.second = Expr();
        return s;
    }
};
