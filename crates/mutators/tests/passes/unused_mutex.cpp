// The mutex of an update that is done at once is a buffer that is used.
// pass: RemoveDeadAllocations
// profile: halide

class Right : public IRMutator {
    Scope<int> allocs;

    Expr visit(const Load *op) override {
        if (allocs.contains(op->name)) {
            allocs.pop(op->name);
        }
        return IRMutator::visit(op);
    }

    Stmt visit(const Store *op) override {
        if (allocs.contains(op->name)) {
            allocs.pop(op->name);
        }
        return IRMutator::visit(op);
    }

    Stmt visit(const Allocate *op) override {
        allocs.push(op->name, 1);
        Stmt body = mutate(op->body);
        if (allocs.contains(op->name) && op->free_function.empty()) {
            allocs.pop(op->name);
            return body;
        }
        return op->with(op->extents, op->condition, body, op->new_expr);
    }

    Stmt visit(const Free *op) override {
        return allocs.contains(op->name) ? Evaluate::make(0) : Stmt(op);
    }

    Stmt visit(const Atomic *op) override {
        if (allocs.contains(op->mutex_name)) {
            allocs.pop(op->mutex_name);
        }
        return IRMutator::visit(op);
    }
};

class WrongWithoutAMethod : public IRMutator {
    Scope<int> allocs;

    Expr visit(const Load *op) override {
        if (allocs.contains(op->name)) {
            allocs.pop(op->name);
        }
        return IRMutator::visit(op);
    }

    Stmt visit(const Store *op) override {
        if (allocs.contains(op->name)) {
            allocs.pop(op->name);
        }
        return IRMutator::visit(op);
    }

    Stmt visit(const Allocate *op) override {
        allocs.push(op->name, 1);
        Stmt body = mutate(op->body);
        if (allocs.contains(op->name) && op->free_function.empty()) {
            allocs.pop(op->name);
            return body;
        }
        return op->with(op->extents, op->condition, body, op->new_expr);
    }

    Stmt visit(const Free *op) override {
        return allocs.contains(op->name) ? Evaluate::make(0) : Stmt(op);
    }
};

class WrongWithoutAPop : public IRMutator {
    Scope<int> allocs;

    Expr visit(const Load *op) override {
        if (allocs.contains(op->name)) {
            allocs.pop(op->name);
        }
        return IRMutator::visit(op);
    }

    Stmt visit(const Store *op) override {
        if (allocs.contains(op->name)) {
            allocs.pop(op->name);
        }
        return IRMutator::visit(op);
    }

    Stmt visit(const Allocate *op) override {
        allocs.push(op->name, 1);
        Stmt body = mutate(op->body);
        if (allocs.contains(op->name) && op->free_function.empty()) {
            allocs.pop(op->name);
            return body;
        }
        return op->with(op->extents, op->condition, body, op->new_expr);
    }

    Stmt visit(const Free *op) override {
        return allocs.contains(op->name) ? Evaluate::make(0) : Stmt(op);
    }

    Stmt visit(const Atomic *op) override {
        return IRMutator::visit(op);
    }
};

class WrongName : public IRMutator {
    Scope<int> allocs;

    Expr visit(const Load *op) override {
        if (allocs.contains(op->name)) {
            allocs.pop(op->name);
        }
        return IRMutator::visit(op);
    }

    Stmt visit(const Store *op) override {
        if (allocs.contains(op->name)) {
            allocs.pop(op->name);
        }
        return IRMutator::visit(op);
    }

    Stmt visit(const Allocate *op) override {
        allocs.push(op->name, 1);
        Stmt body = mutate(op->body);
        if (allocs.contains(op->name) && op->free_function.empty()) {
            allocs.pop(op->name);
            return body;
        }
        return op->with(op->extents, op->condition, body, op->new_expr);
    }

    Stmt visit(const Free *op) override {
        return allocs.contains(op->name) ? Evaluate::make(0) : Stmt(op);
    }

    Stmt visit(const Atomic *op) override {
        if (allocs.contains(op->producer_name)) {
            allocs.pop(op->producer_name);
        }
        return IRMutator::visit(op);
    }
};

class WrongSometimes : public IRMutator {
    Scope<int> allocs;

    Expr visit(const Load *op) override {
        if (allocs.contains(op->name)) {
            allocs.pop(op->name);
        }
        return IRMutator::visit(op);
    }

    Stmt visit(const Store *op) override {
        if (allocs.contains(op->name)) {
            allocs.pop(op->name);
        }
        return IRMutator::visit(op);
    }

    Stmt visit(const Allocate *op) override {
        allocs.push(op->name, 1);
        Stmt body = mutate(op->body);
        if (allocs.contains(op->name) && op->free_function.empty()) {
            allocs.pop(op->name);
            return body;
        }
        return op->with(op->extents, op->condition, body, op->new_expr);
    }

    Stmt visit(const Free *op) override {
        return allocs.contains(op->name) ? Evaluate::make(0) : Stmt(op);
    }

    Stmt visit(const Atomic *op) override {
        if (allocs.contains(op->mutex_name) && allocs.contains(op->producer_name)) {
            allocs.pop(op->mutex_name);
        }
        return IRMutator::visit(op);
    }
};
