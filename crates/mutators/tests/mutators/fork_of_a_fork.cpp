// A fork whose first task is a fork becomes a fork of that fork's own first task.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    Stmt visit(const Fork *op) override {
        Stmt first = mutate(op->first);
        Stmt rest = mutate(op->rest);
        if (first.as<Fork>()) {
            return Fork::make(first, rest);
        }
        Stmt made = Fork::make(first, rest);
        const Fork *fork = made.as<Fork>();
        return Fork::make(first, fork->rest);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Fork *op) override {
        Stmt first = mutate(op->first);
        Stmt rest = mutate(op->rest);
        Stmt made = Fork::make(first, rest);
        const Fork *fork = made.as<Fork>();
        return Fork::make(first, fork->rest);
    }
};
