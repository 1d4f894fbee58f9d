// A `mutate` of the class's own keeps the value.
// wrong: wrong

class Right : public IRMutator {
    int depth;

    Expr mutate(Expr e) {
        depth++;
        Expr result = IRMutator::mutate(e);
        depth--;
        if (!result.same_as(e)) {
            debug(1) << "Before: " << e << "After: " << result << "\n";
        }
        return result;
    }
};

class Wrong : public IRMutator {
    Expr mutate(Expr e) {
        Expr result = IRMutator::mutate(e);
        if (result.defined() && is_zero(result)) {
            return make_const(e.type(), 1);
        }
        return result;
    }
};
