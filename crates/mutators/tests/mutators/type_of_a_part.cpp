// The type of a part of a member is asked, which may be undefined from the start.
// wrong: unsupported

struct Saved {
    Expr value;
};

class Right : public IRMutator {
    Saved saved;

    Stmt Mutate_(const AttrStmt *op, const Stmt &s) final {
        Expr last = saved.value;
        bool is_int = last.defined() && last.type() == Int(32);
        Stmt body = this->Mutate(op->body);
        return AttrStmt::make(op->node, op->attr_key, is_int ? op->value : op->value, body);
    }
};

class Wrong : public IRMutator {
    Saved saved;

    Stmt Mutate_(const AttrStmt *op, const Stmt &s) final {
        bool is_int = saved.value.type() == Int(32);
        Stmt body = this->Mutate(op->body);
        return AttrStmt::make(op->node, op->attr_key, is_int ? op->value : op->value, body);
    }
};
