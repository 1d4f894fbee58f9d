// The result of comparing vectors is a mask. The order of masks is not that of truth values.
// pass: EliminateBoolVectors
// profile: halide

class Right : public IRMutator {
    Expr visit(const EQ *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        Type t = a.type();
        if (t.lanes() > 1 && t.bits() != b.type().bits()) {
            internal_assert(t.is_int() && b.type().is_int());
            t = t.with_bits(std::max(t.bits(), b.type().bits()));
            a = t != a.type() ? Call::make(t, Call::cast_mask, {a}, Call::PureIntrinsic) : a;
            b = t != b.type() ? Call::make(t, Call::cast_mask, {b}, Call::PureIntrinsic) : b;
        }
        Expr expr = EQ::make(a, b);
        if (t.lanes() > 1) {
            expr = Call::make(t.with_code(Type::Int), Call::bool_to_mask, {expr}, Call::PureIntrinsic);
        }
        return expr;
    }
};

class WrongOrder : public IRMutator {
    Expr visit(const LT *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        Type t = a.type();
        if (t.lanes() > 1 && t.bits() != b.type().bits()) {
            internal_assert(t.is_int() && b.type().is_int());
            t = t.with_bits(std::max(t.bits(), b.type().bits()));
            a = t != a.type() ? Call::make(t, Call::cast_mask, {a}, Call::PureIntrinsic) : a;
            b = t != b.type() ? Call::make(t, Call::cast_mask, {b}, Call::PureIntrinsic) : b;
        }
        Expr expr = LT::make(a, b);
        if (t.lanes() > 1) {
            expr = Call::make(t.with_code(Type::Int), Call::bool_to_mask, {expr}, Call::PureIntrinsic);
        }
        return expr;
    }
};

class WrongWithoutMask : public IRMutator {
    Expr visit(const NE *op) override {
        return op;
    }
};
