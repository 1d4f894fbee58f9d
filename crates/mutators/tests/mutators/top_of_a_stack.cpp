// A stack may be empty where nothing shows that it is not.
// wrong: unsupported

class Right : public IRMutator {
    std::stack<int> depths_;

    Stmt Mutate_(const AttrStmt *op, const Stmt &s) final {
        depths_.push(1);
        depths_.pop();
        Stmt body = this->Mutate(op->body);
        return AttrStmt::make(op->node, op->attr_key, op->value, body);
    }
};

class Wrong : public IRMutator {
    std::stack<int> depths_;

    Stmt Mutate_(const AttrStmt *op, const Stmt &s) final {
        depths_.push(1);
        depths_.pop();
        Stmt body = this->Mutate(op->body);
        depths_.pop();
        return AttrStmt::make(op->node, op->attr_key, op->value, body);
    }
};
