// A method that a class inherits hides a function of its name.
// wrong: wrong

class Odd {
    bool is_zero(const Expr &e) {
        return is_one(e);
    }
};

class Right : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (is_zero(b)) {
            expr = a;
        } else {
            expr = Add::make(a, b);
        }
    }
};

class Wrong : public IRMutator, public Odd {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (is_zero(b)) {
            expr = a;
        } else {
            expr = Add::make(a, b);
        }
    }
};
