// A visitor of loads and calls does not meet reads of streams and calls of kernels.
// wrong: undecided

class Reads : public IRVisitor {
    void visit(const Load *op) { result = true; }
    void visit(const Call *op) { result = true; }
public:
    bool result = false;
};

class ReadsAll : public IRVisitor {
    void visit(const Load *op) { result = true; }
    void visit(const Call *op) { result = true; }
    void visit(const StreamExpr *op) { result = true; }
    void visit(const KernelExpr *op) { result = true; }
public:
    bool result = false;
};

class Right : public IRMutator {
    void visit(const Evaluate *op, const Stmt &self) {
        Expr value = mutate(op->value);
        ReadsAll reads;
        value.accept(&reads);
        if (!reads.result) {
            stmt = Evaluate::make(0);
            return;
        }
        stmt = Evaluate::make(value);
    }
};

class Wrong : public IRMutator {
    void visit(const Evaluate *op, const Stmt &self) {
        Expr value = mutate(op->value);
        Reads reads;
        value.accept(&reads);
        if (!reads.result) {
            stmt = Evaluate::make(0);
            return;
        }
        stmt = Evaluate::make(value);
    }
};
