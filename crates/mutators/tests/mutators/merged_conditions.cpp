// Two ifs of one condition are one if their condition does not read what the first body writes.
// wrong: wrong
// profile: halide-hls

class ReadsNothing : public IRVisitor {
    using IRVisitor::visit;

    void visit(const Call *op) {
        if (!op->is_pure()) {
            result = false;
        } else {
            IRVisitor::visit(op);
        }
    }

    void visit(const Load *op) {
        result = false;
    }

public:
    bool result = true;
};

class CallsNothing : public IRVisitor {
    using IRVisitor::visit;

    void visit(const Call *op) {
        if (!op->is_pure()) {
            result = false;
        } else {
            IRVisitor::visit(op);
        }
    }

public:
    bool result = true;
};

bool reads_nothing(const Expr &e) {
    ReadsNothing pure;
    e.accept(&pure);
    return pure.result;
}

bool calls_nothing(const Expr &e) {
    CallsNothing pure;
    e.accept(&pure);
    return pure.result;
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
        } else if (first.same_as(op->first) && rest.same_as(op->rest)) {
            stmt = op;
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
        if (a && b && equal(a->condition, b->condition) && calls_nothing(a->condition) &&
            !a->else_case.defined() && !b->else_case.defined()) {
            stmt = IfThenElse::make(a->condition, Block::make(a->then_case, b->then_case));
        } else if (first.same_as(op->first) && rest.same_as(op->rest)) {
            stmt = op;
        } else {
            stmt = Block::make(first, rest);
        }
    }
};
