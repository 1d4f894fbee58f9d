// A mask chooses between operands of one width.
// pass: EliminateBoolVectors
// profile: halide-to-hardware

class Right : public IRMutator {
    Expr visit(const Select *op) override {
        Expr cond = mutate(op->condition);
        Expr a = mutate(op->true_value);
        Expr b = mutate(op->false_value);
        Type t = cond.type();
        if (a.type().bits() > b.type().bits()) {
            b = Call::make(a.type(), Call::cast_mask, {b}, Call::PureIntrinsic);
        } else if (a.type().bits() < b.type().bits()) {
            a = Call::make(b.type(), Call::cast_mask, {a}, Call::PureIntrinsic);
        }
        if (!t.is_vector()) {
            return Select::make(cond, a, b);
        }
        if (a.type().bits() != t.bits()) {
            cond = Call::make(t.with_bits(a.type().bits()), Call::cast_mask, {cond}, Call::PureIntrinsic);
        }
        return Call::make(a.type(), Call::select_mask, {cond, a, b}, Call::PureIntrinsic);
    }

    Expr visit(const Broadcast *op) override {
        Expr value = mutate(op->value);
        if (op->type.bits() == 1) {
            return Broadcast::make(Call::make(Int(8), Call::bool_to_mask, {value}, Call::PureIntrinsic), op->lanes);
        }
        return Broadcast::make(value, op->lanes);
    }
};

class WrongArms : public IRMutator {
    Expr visit(const Select *op) override {
        Expr cond = mutate(op->condition);
        Expr a = mutate(op->true_value);
        Expr b = mutate(op->false_value);
        if (!cond.type().is_vector() || op->type.is_bool()) {
            return Select::make(op->condition, op->true_value, op->false_value);
        }
        return Call::make(a.type(), Call::select_mask, {cond, b, a}, Call::PureIntrinsic);
    }
};

class WrongWidths : public IRMutator {
    Expr visit(const Select *op) override {
        Expr cond = mutate(op->condition);
        Expr a = mutate(op->true_value);
        Expr b = mutate(op->false_value);
        if (!cond.type().is_vector()) {
            return Select::make(cond, a, b);
        }
        Type t = a.type().with_bits(std::max(a.type().bits(), b.type().bits()));
        a = t != a.type() ? Call::make(t, Call::cast_mask, {a}, Call::PureIntrinsic) : a;
        b = t != b.type() ? Call::make(t, Call::cast_mask, {b}, Call::PureIntrinsic) : b;
        cond = Call::make(t.with_code(Type::Int), Call::cast_mask, {cond}, Call::PureIntrinsic);
        return Call::make(t, Call::select_mask, {cond, a, b}, Call::PureIntrinsic);
    }
};

class WrongNumber : public IRMutator {
    Expr visit(const Broadcast *op) override {
        Expr value = mutate(op->value);
        if (op->type.bits() == 1) {
            return Broadcast::make(Cast::make(Int(8), value), op->lanes);
        }
        return Broadcast::make(value, op->lanes);
    }
};
