// An arm of a switch goes on in the next one up to a break.
// wrong: wrong

class Right : public IRMutator {
    void visit(const Sub *op, const Expr &self) {
        Expr a = mutate(op->a), b = mutate(op->b);
        switch (op->type.bits()) {
            case 8:
            case 16:
                expr = Sub::make(a, b);
                break;
            case 32:
                expr = Sub::make(a, b);
                break;
            default:
                expr = Add::make(a, Sub::make(make_zero(op->type), b));
                break;
        }
        if (op->type.bits() == 32 && op->type.is_uint()) {
            expr = Sub::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Sub *op, const Expr &self) {
        Expr a = mutate(op->a), b = mutate(op->b);
        switch (op->type.bits()) {
            case 8:
            case 16:
                expr = Sub::make(a, b);
                break;
            case 32:
                expr = Sub::make(a, b);
                b = a;
            default:
                expr = Add::make(a, Sub::make(make_zero(op->type), b));
                break;
        }
        if (op->type.bits() == 32 && op->type.is_uint()) {
            expr = Sub::make(a, b);
        }
    }
};
