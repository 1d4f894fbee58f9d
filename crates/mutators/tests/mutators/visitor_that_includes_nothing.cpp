// A visitor that replaces the function that leads to the operands finds nothing below them.
// wrong: undecided
// profile: halide

class Reads : public IRGraphVisitor {
    using IRGraphVisitor::visit;

    void visit(const Load *op) override {
        result = true;
    }

    void visit(const Call *op) override {
        result = true;
    }

public:
    bool result = false;
};

class Misses : public IRGraphVisitor {
    using IRGraphVisitor::visit;

    void include(const Expr &e) override {
    }

    void visit(const Load *op) override {
        result = true;
    }

    void visit(const Call *op) override {
        result = true;
    }

public:
    bool result = false;
};

class Right : public IRMutator {
    using IRMutator::visit;

    Stmt visit(const IfThenElse *op) override {
        Reads reads;
        op->condition.accept(&reads);
        const Block *block = op->then_case.as<Block>();
        if (!reads.result && block && !op->else_case.defined()) {
            return Block::make(IfThenElse::make(op->condition, block->first),
                               IfThenElse::make(op->condition, block->rest));
        }
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;

    Stmt visit(const IfThenElse *op) override {
        Misses reads;
        op->condition.accept(&reads);
        const Block *block = op->then_case.as<Block>();
        if (!reads.result && block && !op->else_case.defined()) {
            return Block::make(IfThenElse::make(op->condition, block->first),
                               IfThenElse::make(op->condition, block->rest));
        }
        return op;
    }
};
