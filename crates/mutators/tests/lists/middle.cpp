// A method of a base class counts.
// wrong: bounded
// right: bounded

class BaseR : public IRMutator {
    Stmt visit(const Allocate *op) {
        std::vector<Expr> extents;
        for (const Expr &e : op->extents) {
            extents.push_back(mutate(e));
        }
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, mutate(op->body),
                op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};

class MiddleR : public BaseR {};
class Right : public MiddleR {
    Stmt visit(const Allocate *op) {
        return MiddleR::visit(op);
    }
};

class BaseW : public IRMutator {
    Stmt visit(const Allocate *op) {
        std::vector<Expr> extents;
        for (const Expr &e : op->extents) {
            extents.push_back(mutate(e));
        }
        if (op->extents.size() == 4) return Evaluate::make(0);
        return Allocate::make(op->buffer_var, op->type, extents, op->condition, mutate(op->body),
                op->attrs, op->new_expr, op->free_function, op->init_values, op->is_const);
    }
};

class MiddleW : public BaseW {};
class Wrong : public MiddleW {
    Stmt visit(const Allocate *op) {
        return MiddleW::visit(op);
    }
};
