// A pass that an analysis runs may ask the analysis again.
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
            int64_t a_least, a_greatest;
            if (const_int_bounds(simplify(op->a), &a_least, &a_greatest) && is_zero(op->b)) {
                *least = a_least;
                *greatest = a_greatest;
                return true;
            }
        }
        return false;
    }
};
