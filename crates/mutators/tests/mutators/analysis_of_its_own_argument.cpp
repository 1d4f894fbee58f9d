// An analysis may assume of parts of what it was given what it promises, and of nothing else.
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
        return const_int_bounds(e, least, greatest);
    }
};
