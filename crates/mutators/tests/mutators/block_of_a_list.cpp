// The statements of a list run in its order.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Stmt visit(const Block *op) override {
        std::vector<Stmt> stmts;
        stmts.push_back(mutate(op->first));
        stmts.push_back(Evaluate::make(0));
        stmts.push_back(mutate(op->rest));
        return Block::make(stmts);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Block *op) override {
        std::vector<Stmt> stmts;
        stmts.push_back(mutate(op->rest));
        stmts.push_back(Evaluate::make(0));
        stmts.push_back(mutate(op->first));
        return Block::make(stmts);
    }
};
