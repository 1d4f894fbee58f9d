// The bounds that are pushed for the variable of a loop hold in every iteration.
// wrong: undecided

class Right : public IRMutator {
    Scope<std::pair<int64_t, int64_t>> bounds_info;

    Stmt visit(const For *op) {
        const int64_t *min = as_const_int(op->min);
        const int64_t *extent = as_const_int(op->extent);
        if (!min || !extent) {
            return op;
        }
        bounds_info.push(op->name, {*min, *min + *extent - 1});
        Stmt body = mutate(op->body);
        bounds_info.pop(op->name);
        return For::make(op->name, op->min, op->extent, op->for_type, op->device_api, body);
    }
};

class Wrong : public IRMutator {
    Scope<std::pair<int64_t, int64_t>> bounds_info;

    Stmt visit(const For *op) {
        const int64_t *min = as_const_int(op->min);
        const int64_t *extent = as_const_int(op->extent);
        if (!min || !extent) {
            return op;
        }
        bounds_info.push(op->name, {*min, *min + *extent - 2});
        Stmt body = mutate(op->body);
        bounds_info.pop(op->name);
        return For::make(op->name, op->min, op->extent, op->for_type, op->device_api, body);
    }
};
