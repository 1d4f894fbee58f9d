// A macro before a result chooses another one.
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
#define MORE extents.size() == 4 ? op->body :

class Wrong : public IRMutator {
    Stmt visit(const Allocate *op) {
        std::vector<Expr> extents;
        for (const Expr &e : op->extents) {
            extents.push_back(mutate(e));
        }
        return MORE Allocate::make(op->buffer_var, op->type, extents, op->condition,
            mutate(op->body), op->attrs, op->new_expr, op->free_function, op->init_values,
            op->is_const);
    }
};
