// Effects keep their order.
// wrong: wrong

class Right : public IRMutator {
    Stmt Mutate_(const Block *op, const Stmt &s) {
        Stmt first = this->Mutate(op->first);
        Stmt rest = this->Mutate(op->rest);
        if (is_no_op(first)) {
            return rest;
        } else if (is_no_op(rest)) {
            return first;
        }
        return Block::make(first, rest);
    }
};

class Wrong : public IRMutator {
    Stmt Mutate_(const Block *op, const Stmt &s) {
        Stmt first = this->Mutate(op->first);
        Stmt rest = this->Mutate(op->rest);
        if (is_no_op(first)) {
            return rest;
        } else if (is_no_op(rest)) {
            return first;
        }
        return Block::make(rest, first);
    }
};
