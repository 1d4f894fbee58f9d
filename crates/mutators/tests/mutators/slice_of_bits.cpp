// A slice of bits is between its own ends.
// wrong: undecided

class Right : public IRMutator {
    void visit(const GetSlice *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr left = mutate(op->index_left);
        Expr right = mutate(op->index_right);
        if (op->a.same_as(a) && op->index_left.same_as(left) && op->index_right.same_as(right)) {
            expr = self;
        } else {
            expr = GetSlice::make(a, left, right);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const GetSlice *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr left = mutate(op->index_left);
        Expr right = mutate(op->index_right);
        if (op->a.same_as(a) && op->index_left.same_as(left) && op->index_right.same_as(right)) {
            expr = self;
        } else {
            expr = GetSlice::make(a, right, left);
        }
    }
};
