// Operators on vectors of truth values work on the bits of masks of one width.
// pass: EliminateBoolVectors
// profile: halide

class Right : public IRMutator {
    Expr visit(const And *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (a.type().lanes() > 1) {
            Type t = a.type().with_bits(std::max(a.type().bits(), b.type().bits()));
            if (t != a.type()) {
                a = Call::make(t, Call::cast_mask, {a}, Call::PureIntrinsic);
            }
            if (t != b.type()) {
                b = Call::make(t, Call::cast_mask, {b}, Call::PureIntrinsic);
            }
            return Call::make(t, Call::bitwise_and, {a, b}, Call::PureIntrinsic);
        }
        return And::make(a, b);
    }

    Expr visit(const Not *op) override {
        Expr a = mutate(op->a);
        if (a.type().lanes() > 1) {
            return Call::make(a.type(), Call::bitwise_not, {a}, Call::PureIntrinsic);
        }
        return Not::make(a);
    }
};

class WrongWidths : public IRMutator {
    Expr visit(const And *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (a.type().lanes() > 1) {
            return Call::make(a.type(), Call::bitwise_and, {a, b}, Call::PureIntrinsic);
        }
        return And::make(a, b);
    }
};

class WrongOperator : public IRMutator {
    Expr visit(const Or *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (a.type().lanes() > 1) {
            Type t = a.type().with_bits(std::max(a.type().bits(), b.type().bits()));
            a = Call::make(t, Call::cast_mask, {a}, Call::PureIntrinsic);
            b = Call::make(t, Call::cast_mask, {b}, Call::PureIntrinsic);
            return Call::make(t, Call::bitwise_and, {a, b}, Call::PureIntrinsic);
        }
        return Or::make(a, b);
    }
};

class WrongOperand : public IRMutator {
    Expr visit(const Not *op) override {
        Expr a = mutate(op->a);
        if (a.type().lanes() > 1) {
            return a;
        }
        return Not::make(a);
    }
};

class WrongUnchanged : public IRMutator {
    Expr visit(const Not *op) override {
        return op;
    }
};
