// The lists that are mutated stay in their places.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    Stmt visit(const Provide *op) {
        found_buffer_reference(op->name, op->args.size());
        auto [new_args, changed_args] = mutate_with_changes(op->args);
        auto [new_values, changed_values] = mutate_with_changes(op->values);
        Expr predicate = mutate(op->predicate, nullptr);
        if (!changed_args && !changed_values && predicate.same_as(op->predicate)) {
            return op;
        }
        return op->with(new_values, new_args, predicate);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Provide *op) {
        found_buffer_reference(op->name, op->args.size());
        auto [new_args, changed_args] = mutate_with_changes(op->args);
        auto [new_values, changed_values] = mutate_with_changes(op->args);
        Expr predicate = mutate(op->predicate, nullptr);
        if (!changed_args && !changed_values && predicate.same_as(op->predicate)) {
            return op;
        }
        return op->with(new_values, new_args, predicate);
    }
};
