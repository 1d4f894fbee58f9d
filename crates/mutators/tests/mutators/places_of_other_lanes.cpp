// The slices of a condition follow the lanes of the places, which are not all as many.
// wrong: crash
// right: unsupported
// profile: halide

class Right : public IRMutator {
    Expr visit(const Load *op) {
        Expr predicate = mutate(op->predicate);
        Expr index = mutate(op->index);
        const Shuffle *places = index.as<Shuffle>();
        if (places && places->is_concat()) {
            std::vector<Expr> loads;
            int first = 0;
            for (const Expr &place : places->vectors) {
                int lanes = place.type().lanes();
                Expr slice = Shuffle::make_slice(predicate, first, 1, lanes);
                loads.push_back(op->with(place, slice, ModulusRemainder{}));
                first += lanes;
            }
            return Shuffle::make_concat(loads);
        }
        return op->with(index, predicate, op->alignment);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Load *op) {
        Expr predicate = mutate(op->predicate);
        Expr index = mutate(op->index);
        const Shuffle *places = index.as<Shuffle>();
        if (places && places->is_concat()) {
            std::vector<Expr> loads;
            for (const Expr &place : places->vectors) {
                int lanes = place.type().lanes();
                Expr slice = Shuffle::make_slice(predicate, (int)loads.size() * lanes, 1, lanes);
                loads.push_back(op->with(place, slice, ModulusRemainder{}));
            }
            return Shuffle::make_concat(loads);
        }
        return op->with(index, predicate, op->alignment);
    }
};
