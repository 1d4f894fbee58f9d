// What a mutator with members makes of a statement can be anything.
// wrong: undecided
// profile: halide

class Marks : public IRMutator {
    using IRMutator::visit;
    std::string name;

public:
    bool found = false;
    Marks(const std::string &n)
        : name(n) {
    }
};

class Right : public IRMutator {
    Stmt visit(const LetStmt *op) override {
        Marks marks(op->name);
        Stmt other = marks(op->body);
        if (marks.found) {
            return LetStmt::make(op->name, op->value, mutate(op->body));
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Stmt visit(const LetStmt *op) override {
        Stmt other = Marks(op->name)(op->body);
        return LetStmt::make(op->name, op->value, other);
    }
};
