// An operand that is an element of a vector may be undefined, and so may be its argument elsewhere.
// wrong: unsupported

class Right : public IRMutator {
    std::map<std::string, Expr> saved;

    Stmt Mutate_(const AttrStmt *op, const Stmt &s) final {
        Stmt body = this->Mutate(op->body);
        Expr last = saved[op->attr_key];
        if (last.defined()) {
            Expr next = Simplify(last - 1);
        }
        return AttrStmt::make(op->node, op->attr_key, op->value, body);
    }

    Stmt Mutate_(const Evaluate *op, const Stmt &s) final {
        saved.clear();
        return s;
    }
};

class Wrong : public IRMutator {
    std::map<std::string, Expr> saved;

    Stmt Mutate_(const AttrStmt *op, const Stmt &s) final {
        Stmt body = this->Mutate(op->body);
        Expr next = saved[op->attr_key] - 1;
        return AttrStmt::make(op->node, op->attr_key, op->value, body);
    }

    Stmt Mutate_(const Evaluate *op, const Stmt &s) final {
        saved.clear();
        return s;
    }
};
