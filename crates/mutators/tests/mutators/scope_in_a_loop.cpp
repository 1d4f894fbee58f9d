// Each of the bindings that were pushed in a loop is popped.
// wrong: scope
// right: bounded

class Right : public IRMutator {
    Scope<int> bound;

    Stmt visit(const LetStmt *op) {
        std::vector<const LetStmt *> frames;
        Stmt body = op;
        while (const LetStmt *let = body.as<LetStmt>()) {
            bound.push(let->name, 1);
            frames.push_back(let);
            body = let->body;
        }
        body = mutate(body);
        for (int i = (int)frames.size() - 1; i >= 0; i--) {
            bound.pop(frames[i]->name);
            body = LetStmt::make(frames[i]->name, frames[i]->value, body);
        }
        return body;
    }
};

class Wrong : public IRMutator {
    Scope<int> bound;

    Stmt visit(const LetStmt *op) {
        std::vector<const LetStmt *> frames;
        Stmt body = op;
        while (const LetStmt *let = body.as<LetStmt>()) {
            bound.push(let->name, 1);
            frames.push_back(let);
            body = let->body;
        }
        body = mutate(body);
        bound.pop(op->name);
        for (int i = (int)frames.size() - 1; i >= 0; i--) {
            body = LetStmt::make(frames[i]->name, frames[i]->value, body);
        }
        return body;
    }
};
