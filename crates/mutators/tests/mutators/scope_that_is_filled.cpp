// What a constructor puts into a scope is there.
// wrong: undecided
// profile: halide-hls

class Right : public IRMutator {
    Scope<int> bounds_seen;

public:
    Right(const Scope<int> *outer) {
        bounds_seen.set_containing_scope(outer);
        bounds_seen.push("x", 1);
    }

private:
    void visit(const Sub *op) {
        if (op->type == Int(32) && equal(op->a, op->b) && !bounds_seen.contains("x")) {
            expr = make_zero(op->type);
        } else {
            expr = op;
        }
    }
};

class Wrong : public IRMutator {
    Scope<int> bounds_seen;

public:
    Wrong(const Scope<int> *outer) {
        bounds_seen.set_containing_scope(outer);
        bounds_seen.push("x", 1);
    }

private:
    void visit(const Sub *op) {
        if (op->type == Int(32) && equal(op->a, op->b) && !bounds_seen.contains("x")) {
            expr = make_one(op->type);
        } else {
            expr = op;
        }
    }
};
