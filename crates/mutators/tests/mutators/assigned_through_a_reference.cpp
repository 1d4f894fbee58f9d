// What is assigned through a reference to an element is not followed.
// wrong: wrong

class Right : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        std::vector<Expr> parts;
        parts.push_back(mutate(op->a));
        parts.push_back(mutate(op->b));
        Expr &first = parts[0];
        Expr a = first;
        expr = Add::make(parts[0], parts[1]);
    }
};

class Wrong : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        std::vector<Expr> parts;
        parts.push_back(mutate(op->a));
        parts.push_back(mutate(op->b));
        Expr &first = parts[0];
        first = make_zero(op->type);
        expr = Add::make(parts[0], parts[1]);
    }
};
