// Two bindings of one value are one if the value is the same in between.
// wrong: wrong
// right: partial
// profile: halide-hls

class Right : public IRMutator {
    Stmt visit(const Block *op) {
        Stmt first = mutate(op->first);
        Stmt rest = mutate(op->rest);
        const LetStmt *a = first.as<LetStmt>();
        const LetStmt *b = rest.as<LetStmt>();
        if (a && b && equal(a->value, b->value) && is_pure(a->value)) {
            std::string name = unique_name('t');
            Expr var = Variable::make(a->value.type(), name);
            Stmt body = mutate(Block::make(a->body, b->body));
            body = substitute(a->name, var, body);
            body = substitute(b->name, var, body);
            return LetStmt::make(name, a->value, body);
        }
        return Block::make(first, rest);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Block *op) {
        Stmt first = mutate(op->first);
        Stmt rest = mutate(op->rest);
        const LetStmt *a = first.as<LetStmt>();
        const LetStmt *b = rest.as<LetStmt>();
        if (a && b && equal(a->value, b->value)) {
            std::string name = unique_name('t');
            Expr var = Variable::make(a->value.type(), name);
            Stmt body = mutate(Block::make(a->body, b->body));
            body = substitute(a->name, var, body);
            body = substitute(b->name, var, body);
            return LetStmt::make(name, a->value, body);
        }
        return Block::make(first, rest);
    }
};
