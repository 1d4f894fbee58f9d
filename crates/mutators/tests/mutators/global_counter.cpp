// A counter outside of classes can be any number.
// wrong: undecided

static int depth = 0;

class Right : public IRMutator {
    Expr mutate(Expr e) {
        const std::string spaces(depth, ' ');
        debug(1) << spaces << "Mutating " << e << "\n";
        depth++;
        Expr result = IRMutator::mutate(e);
        depth--;
        return result;
    }
};

class Wrong : public IRMutator {
    Expr mutate(Expr e) {
        depth++;
        if (depth == 4 && e.defined()) {
            return make_zero(e.type());
        }
        return IRMutator::mutate(e);
    }
};
