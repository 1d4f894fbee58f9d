// What an analysis makes may be as large as what it was given.
// wrong: partial

class Right {
    bool const_int_bounds(Expr e, int64_t *least, int64_t *greatest) {
        if (const Broadcast *op = e.as<Broadcast>()) {
            return const_int_bounds(op->value, least, greatest);
        }
        return false;
    }
};

class Wrong {
    bool const_int_bounds(Expr e, int64_t *least, int64_t *greatest) {
        if (const Add *op = e.as<Add>()) {
            return const_int_bounds(Add::make(op->b, op->a), least, greatest);
        }
        return false;
    }
};
