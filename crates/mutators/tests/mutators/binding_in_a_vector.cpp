// A binding in an element of a vector ends with the vector.
// wrong: crash
// right: verified
// profile: halide

class Right : public IRMutator {
    Scope<> inner;

    Stmt visit(const LetStmt *op) override {
        struct Frame {
            ScopedBinding<> binding;
            Frame(const std::string &name, Scope<> &scope)
                : binding(scope, name) {
            }
        };
        std::vector<Frame> frames;
        frames.emplace_back(op->name, inner);
        Stmt body = mutate(op->body);
        return LetStmt::make(op->name, op->value, body);
    }
};

class Wrong : public IRMutator {
    Scope<> inner;

    Stmt visit(const LetStmt *op) override {
        struct Frame {
            ScopedBinding<> binding;
            Frame(const std::string &name, Scope<> &scope)
                : binding(scope, name) {
            }
        };
        std::vector<Frame> frames;
        frames.emplace_back(op->name, inner);
        inner.pop(op->name);
        Stmt body = mutate(op->body);
        return LetStmt::make(op->name, op->value, body);
    }
};
