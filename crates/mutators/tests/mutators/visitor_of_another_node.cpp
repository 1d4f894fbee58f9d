// A method of a visitor finds what is below its node only if it visits that node's operands.
// wrong: undecided
// profile: halide

class Reads : public IRVisitor {
    using IRVisitor::visit;

    void visit(const EQ *op) override {
        IRVisitor::visit(op);
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

class Misses : public IRVisitor {
    using IRVisitor::visit;

    const EQ *last = nullptr;

    void visit(const EQ *op) override {
        op = last;
        IRVisitor::visit(op);
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

bool reads(const Expr &e) {
    Reads found;
    e.accept(&found);
    return found.result;
}

bool seems_to_read(const Expr &e) {
    Misses found;
    e.accept(&found);
    return found.result;
}

class Right : public IRMutator {
    using IRMutator::visit;

    Stmt visit(const IfThenElse *op) override {
        const Block *block = op->then_case.as<Block>();
        if (!reads(op->condition) && block && !op->else_case.defined()) {
            return Block::make(IfThenElse::make(op->condition, block->first),
                               IfThenElse::make(op->condition, block->rest));
        }
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;

    Stmt visit(const IfThenElse *op) override {
        const Block *block = op->then_case.as<Block>();
        if (!seems_to_read(op->condition) && block && !op->else_case.defined()) {
            return Block::make(IfThenElse::make(op->condition, block->first),
                               IfThenElse::make(op->condition, block->rest));
        }
        return op;
    }
};
