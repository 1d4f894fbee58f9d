// A loop by reverse iterators begins with the last element.
// wrong: wrong
// right: bounded
// profile: halide-to-hardware

class Right : public IRMutator {
    Stmt visit(const LetStmt *op) override {
        struct Frame {
            const LetStmt *op;
            Expr value;
        };
        vector<Frame> frames;
        Stmt result;
        while (op) {
            Expr value = mutate(op->value);
            frames.push_back({op, value});
            result = op->body;
            op = result.as<LetStmt>();
        }
        result = mutate(result);
        for (auto it = frames.rbegin(); it != frames.rend(); it++) {
            result = LetStmt::make(it->op->name, it->value, result);
        }
        return result;
    }
};

class Wrong : public IRMutator {
    Stmt visit(const LetStmt *op) override {
        struct Frame {
            const LetStmt *op;
            Expr value;
        };
        vector<Frame> frames;
        Stmt result;
        while (op) {
            Expr value = mutate(op->value);
            frames.push_back({op, value});
            result = op->body;
            op = result.as<LetStmt>();
        }
        result = mutate(result);
        for (auto &frame : frames) {
            result = LetStmt::make(frame.op->name, frame.value, result);
        }
        return result;
    }
};
