// A loop over `loop_max` has a bound with the name `f.s0.loop_max.loop_max`.
// wrong: crash
// right: unsupported
// profile: halide-hls

class Right : public IRMutator {
    void visit(const LetStmt *op) {
        string name = op->name;
        if (ends_with(name, ".loop_max")) {
            vector<string> parts = split_string(name, ".loop_max");
            internal_assert(parts.size() >= 2);
            name = parts[0] + ".loop_max";
        }
        Expr value = mutate(op->value);
        Stmt body = mutate(op->body);
        stmt = LetStmt::make(op->name, value, body);
    }
};

class Wrong : public IRMutator {
    void visit(const LetStmt *op) {
        string name = op->name;
        if (ends_with(name, ".loop_max")) {
            vector<string> parts = split_string(name, ".loop_max");
            internal_assert(parts.size() == 2);
            name = parts[0] + ".loop_max";
        }
        Expr value = mutate(op->value);
        Stmt body = mutate(op->body);
        stmt = LetStmt::make(op->name, value, body);
    }
};
