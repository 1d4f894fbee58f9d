// A statement that was made here is none of those that the method visits.
// wrong: wrong

class Right : public IRMutator {
    Stmt Mutate_(const ProducerConsumer *op, const Stmt &s) final {
        Stmt body = this->Mutate(op->body);
        Stmt made = AttrStmt::make(NodeRef(), "key", make_zero(Int(32)), body);
        if (made.same_as(op->body)) {
            return Evaluate::make(0);
        }
        return made;
    }
};

class Wrong : public IRMutator {
    Stmt Mutate_(const ProducerConsumer *op, const Stmt &s) final {
        Stmt body = this->Mutate(op->body);
        Stmt made = AttrStmt::make(NodeRef(), "key", make_zero(Int(32)), body);
        if (body.same_as(op->body)) {
            return Evaluate::make(0);
        }
        return made;
    }
};
