// An `IRGraphVisitor` passes over a node that it visited before.
// wrong: undecided
// profile: halide-hls

class ReadsNothing : public IRGraphVisitor {
    using IRGraphVisitor::visit;
    void visit(const Call *op) {
        if (!op->is_pure()) {
            result = false;
        } else {
            IRGraphVisitor::visit(op);
        }
    }
    void visit(const Load *op) {
        result = false;
    }

public:
    bool result = true;
};

class MayReadSomething : public IRGraphVisitor {
    using IRGraphVisitor::visit;
    void visit(const Call *op) {
        if (!op->is_pure()) {
            result = false;
        } else {
            IRGraphVisitor::visit(op);
        }
    }
    void visit(const Load *op) {
        result = false;
    }

public:
    bool result = true;
};

bool reads_nothing(const Expr &e) {
    ReadsNothing visitor;
    e.accept(&visitor);
    return visitor.result;
}

bool seems_to_read_nothing(const Expr &e) {
    MayReadSomething visitor;
    e.accept(&visitor);
    visitor.result = true;
    e.accept(&visitor);
    return visitor.result;
}

class Right : public IRMutator {
    void visit(const Block *op) {
        Stmt first = mutate(op->first);
        Stmt rest = mutate(op->rest);
        const IfThenElse *a = first.as<IfThenElse>();
        const IfThenElse *b = rest.as<IfThenElse>();
        if (a && b && equal(a->condition, b->condition) && reads_nothing(a->condition) &&
            !a->else_case.defined() && !b->else_case.defined()) {
            stmt = IfThenElse::make(a->condition, Block::make(a->then_case, b->then_case));
        } else {
            stmt = Block::make(first, rest);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Block *op) {
        Stmt first = mutate(op->first);
        Stmt rest = mutate(op->rest);
        const IfThenElse *a = first.as<IfThenElse>();
        const IfThenElse *b = rest.as<IfThenElse>();
        if (a && b && equal(a->condition, b->condition) && seems_to_read_nothing(a->condition) &&
            !a->else_case.defined() && !b->else_case.defined()) {
            stmt = IfThenElse::make(a->condition, Block::make(a->then_case, b->then_case));
        } else {
            stmt = Block::make(first, rest);
        }
    }
};
