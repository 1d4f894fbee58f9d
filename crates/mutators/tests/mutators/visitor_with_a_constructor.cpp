// A constructor assigns members.
// wrong: undecided

class Finder : public IRVisitor {
public:
    bool found = false;

protected:
    void visit(const Load *op) {
        found = true;
    }
    void visit(const Call *op) {
        found = true;
    }
};

class Eager : public IRVisitor {
public:
    bool found = false;

    Eager() {
        found = true;
    }

protected:
    void visit(const Load *op) {
        found = true;
    }
    void visit(const Call *op) {
        found = true;
    }
};

class Right : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        Finder finder;
        b.accept(&finder);
        if (finder.found) {
            expr = Add::make(b, a);
        } else {
            expr = Add::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        Eager finder;
        b.accept(&finder);
        if (finder.found) {
            expr = a;
        } else {
            expr = Add::make(a, b);
        }
    }
};
