// `with` makes a node with other operands, and keeps the other members.
// wrong: wrong

class Right : public IRMutator {
    Stmt visit(const ProducerConsumer *op) {
        Stmt body = mutate(op->body);
        if (body.same_as(op->body)) {
            return op;
        }
        return op->with(body);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const ProducerConsumer *op) {
        return op->with(Evaluate::make(0));
    }
};
