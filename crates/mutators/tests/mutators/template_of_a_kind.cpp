// A template parameter is the kind of the node that it is called with.
// wrong: wrong

class Right : public IRMutator {
    template<typename T>
    Expr visit_operands(const T *op) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (std::is_same<T, Add>::value) {
            return T::make(b, a);
        }
        return T::make(a, b);
    }
    Expr visit(const Sub *op) override {
        return visit_operands(op);
    }
};

class Wrong : public IRMutator {
    template<typename T>
    Expr visit_operands(const T *op) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (std::is_same<T, Sub>::value) {
            return T::make(b, a);
        }
        return T::make(a, b);
    }
    Expr visit(const Sub *op) override {
        return visit_operands(op);
    }
};
