// A `break` ends the innermost loop, and not what follows it.
// wrong: undecided

class Right : public IRMutator {
    void visit(const Block *op, const Stmt &self) {
        Stmt first = mutate(op->first);
        Stmt rest = mutate(op->rest);
        if (first.as<Break>()) {
            stmt = first;
            return;
        }
        stmt = Block::make(first, rest);
    }
};

class Wrong : public IRMutator {
    void visit(const Block *op, const Stmt &self) {
        Stmt first = mutate(op->first);
        Stmt rest = mutate(op->rest);
        const For *loop = first.as<For>();
        if (loop && is_one(loop->extent)) {
            const Block *body = loop->body.as<Block>();
            if (body && body->rest.as<Break>()) {
                stmt = first;
                return;
            }
        }
        stmt = Block::make(first, rest);
    }
};
