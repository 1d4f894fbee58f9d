// A statement for each element, and no depth of what they make.
// wrong: bounded
// right: bounded

class Right : public IRMutator {
    Stmt each(const Array<Expr> &values) {
        Stmt all;
        for (Expr e : values) {
            if (HasSideEffect(e)) {
                if (all.defined()) {
                    all = Block::make(all, Evaluate::make(e));
                } else {
                    all = Evaluate::make(e);
                }
            }
        }
        return all.defined() ? all : Evaluate::make(0);
    }

    Stmt visit(const Allocate *op) {
        Stmt body = mutate(op->body);
        if (is_no_op(body)) {
            return each(op->extents);
        }
        return Allocate::make(op->buffer_var, op->type, op->extents, op->condition, body,
                              op->attrs, op->new_expr, op->free_function, op->init_values,
                              op->is_const);
    }
};

class Wrong : public IRMutator {
    Stmt each(const Array<Expr> &values) {
        Stmt all;
        for (Expr e : values) {
            if (HasSideEffect(e)) {
                if (all.defined()) {
                    all = Block::make(all, Evaluate::make(e));
                } else {
                    all = Evaluate::make(e);
                }
            }
        }
        return all.defined() ? all : Evaluate::make(0);
    }

    Stmt visit(const Allocate *op) {
        Stmt made = each(op->extents);
        const Block *last = made.as<Block>();
        const Block *before = last ? last->first.as<Block>() : nullptr;
        const Block *first = before ? before->first.as<Block>() : nullptr;
        if (first) {
            return Evaluate::make(0);
        }
        return Allocate::make(op->buffer_var, op->type, op->extents, op->condition,
                              mutate(op->body), op->attrs, op->new_expr, op->free_function,
                              op->init_values, op->is_const);
    }
};
