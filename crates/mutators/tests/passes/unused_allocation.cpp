// An allocation is dropped only if nothing in it uses the buffer.
// pass: RemoveDeadAllocations
// profile: halide-to-hardware

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
        allocs.push(op->name, 0);
        Stmt body = mutate(op->body);
        if (allocs.contains(op->name)) {
            allocs.pop(op->name);
            return body;
        }
        return Allocate::make(op->name, op->type, op->memory_type, op->extents, op->condition,
                              body, op->new_expr, op->free_function);
    }

    Stmt visit(const Free *op) override {
        return allocs.contains(op->name) ? Evaluate::make(0) : Stmt(op);
    }
};

class WrongWhereStoresCount : public IRMutator {
    Scope<int> allocs;

    Expr visit(const Load *op) override {
        if (allocs.contains(op->name)) {
            allocs.pop(op->name);
        }
        return IRMutator::visit(op);
    }

    Stmt visit(const Store *op) override {
        return IRMutator::visit(op);
    }

    Stmt visit(const Allocate *op) override {
        allocs.push(op->name, 0);
        Stmt body = mutate(op->body);
        if (allocs.contains(op->name)) {
            allocs.pop(op->name);
            return body;
        }
        return Allocate::make(op->name, op->type, op->memory_type, op->extents, op->condition,
                              body, op->new_expr, op->free_function);
    }

    Stmt visit(const Free *op) override {
        return allocs.contains(op->name) ? Evaluate::make(0) : Stmt(op);
    }
};

class WrongWithoutStores : public IRMutator {
    Scope<int> allocs;

    Expr visit(const Load *op) override {
        if (allocs.contains(op->name)) {
            allocs.pop(op->name);
        }
        return IRMutator::visit(op);
    }

    Stmt visit(const Allocate *op) override {
        allocs.push(op->name, 0);
        Stmt body = mutate(op->body);
        if (allocs.contains(op->name)) {
            allocs.pop(op->name);
            return body;
        }
        return Allocate::make(op->name, op->type, op->memory_type, op->extents, op->condition,
                              body, op->new_expr, op->free_function);
    }

    Stmt visit(const Free *op) override {
        return allocs.contains(op->name) ? Evaluate::make(0) : Stmt(op);
    }
};

class WrongInTheOtherOrder : public IRMutator {
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
        allocs.push(op->name, 0);
        bool is_unused = allocs.contains(op->name);
        Stmt body = mutate(op->body);
        if (is_unused) {
            return body;
        }
        return Allocate::make(op->name, op->type, op->memory_type, op->extents, op->condition,
                              body, op->new_expr, op->free_function);
    }

    Stmt visit(const Free *op) override {
        return allocs.contains(op->name) ? Evaluate::make(0) : Stmt(op);
    }
};

class WrongAboutTheOther : public IRMutator {
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
        allocs.push(op->name, 0);
        Stmt body = mutate(op->body);
        if (allocs.contains(op->name)) {
            return Allocate::make(op->name, op->type, op->memory_type, op->extents, op->condition,
                                  body, op->new_expr, op->free_function);
        }
        return body;
        return Allocate::make(op->name, op->type, op->memory_type, op->extents, op->condition,
                              body, op->new_expr, op->free_function);
    }

    Stmt visit(const Free *op) override {
        return allocs.contains(op->name) ? Evaluate::make(0) : Stmt(op);
    }
};

class WrongFree : public IRMutator {
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
        allocs.push(op->name, 0);
        Stmt body = mutate(op->body);
        if (allocs.contains(op->name)) {
            allocs.pop(op->name);
            return body;
        }
        return Allocate::make(op->name, op->type, op->memory_type, op->extents, op->condition,
                              body, op->new_expr, op->free_function);
    }

    Stmt visit(const Free *op) override {
        return Evaluate::make(0);
    }
};

class WrongBody : public IRMutator {
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
        allocs.push(op->name, 0);
        Stmt body = mutate(op->body);
        if (allocs.contains(op->name)) {
            allocs.pop(op->name);
            return op->body;
        }
        return Allocate::make(op->name, op->type, op->memory_type, op->extents, op->condition,
                              body, op->new_expr, op->free_function);
    }

    Stmt visit(const Free *op) override {
        return allocs.contains(op->name) ? Evaluate::make(0) : Stmt(op);
    }
};

class WrongBodyAfterwards : public IRMutator {
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
        allocs.push(op->name, 0);
        Stmt body = mutate(op->body);
        if (allocs.contains(op->name)) {
            allocs.pop(op->name);
            return mutate(op->body);
        }
        return Allocate::make(op->name, op->type, op->memory_type, op->extents, op->condition,
                              body, op->new_expr, op->free_function);
    }

    Stmt visit(const Free *op) override {
        return allocs.contains(op->name) ? Evaluate::make(0) : Stmt(op);
    }
};

class WrongAgain : public IRMutator {
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
        allocs.push(op->name, 1);
        return IRMutator::visit(op);
    }

    Stmt visit(const Allocate *op) override {
        allocs.push(op->name, 0);
        Stmt body = mutate(op->body);
        if (allocs.contains(op->name)) {
            allocs.pop(op->name);
            return body;
        }
        return Allocate::make(op->name, op->type, op->memory_type, op->extents, op->condition,
                              body, op->new_expr, op->free_function);
    }

    Stmt visit(const Free *op) override {
        return allocs.contains(op->name) ? Evaluate::make(0) : Stmt(op);
    }
};

class WrongBranch : public IRMutator {
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
        allocs.push(op->name, 0);
        Stmt body = mutate(op->body);
        if (allocs.contains(op->name)) {
            allocs.pop(op->name);
            return body;
        }
        return Allocate::make(op->name, op->type, op->memory_type, op->extents, op->condition,
                              body, op->new_expr, op->free_function);
    }

    Stmt visit(const IfThenElse *op) override {
        Stmt then_case = mutate(op->then_case);
        return IfThenElse::make(op->condition, then_case, op->else_case);
    }

    Stmt visit(const Free *op) override {
        return allocs.contains(op->name) ? Evaluate::make(0) : Stmt(op);
    }
};

class WrongChange : public IRMutator {
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
        allocs.push(op->name, 0);
        Stmt body = mutate(op->body);
        if (allocs.contains(op->name)) {
            allocs.pop(op->name);
            return body;
        }
        return Allocate::make(op->name, op->type, op->memory_type, op->extents, op->condition,
                              body, op->new_expr, op->free_function);
    }

    void forget(const Scope<int> &other) {
        allocs = other;
    }

    Stmt visit(const Free *op) override {
        return allocs.contains(op->name) ? Evaluate::make(0) : Stmt(op);
    }
};
