// What a base class of the same files does is what its body does.
// wrong: wrong

class Whole : public Base {
    void visit(const Add *op, const Expr &self) {
        expr = Add::make(op->a, op->b);
    }
};

class Half : public Base {
    void visit(const Add *op, const Expr &self) {
        expr = Add::make(op->a, op->a);
    }
};

class Right : public IRMutator, public Whole {
    void visit(const Add *op, const Expr &self) {
        Whole::visit(op, self);
    }
};

class Wrong : public IRMutator, public Half {
    void visit(const Add *op, const Expr &self) {
        Half::visit(op, self);
    }
};
