// A macro within a declaration changes the image.
// wrong: unsupported

class Right : public IRMutator {
    Stmt visit(const Allocate *op) {
        std::vector<Expr> extents;
        for (const Expr &e : op->extents) {
            extents.push_back(mutate(e));
        }
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, mutate(op->body),
            op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};
#define MORE , y = extents.size() == 3 ? extents.back() : x; x = y

class Wrong : public IRMutator {
    Stmt visit(const Allocate *op) {
        std::vector<Expr> extents;
        for (const Expr &e : op->extents) {
            Expr x = mutate(e) MORE;
            extents.push_back(x);
        }
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, mutate(op->body),
            op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};
