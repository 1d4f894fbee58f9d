// A template argument that is given counts, and what a pointer points to does not.
// wrong: wrong

class Right : public IRMutator {
    template<typename Made, typename T>
    Expr visit_as(const T *op) {
        return Made::make(mutate(op->a), mutate(op->b));
    }
    Expr visit(const Min *op) override {
        return visit_as<Min>(op);
    }
};

class Wrong : public IRMutator {
    template<typename Made, typename T>
    Expr visit_as(const T *op) {
        return Made::make(mutate(op->a), mutate(op->b));
    }
    Expr visit(const Min *op) override {
        return visit_as<Max>(op);
    }
};
