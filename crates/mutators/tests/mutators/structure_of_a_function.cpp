// A chain of lets is visited in one method, with a structure for each let.
// wrong: wrong
// right: bounded
// profile: halide

class Right : public IRMutator {
    Scope<> varying;

    template<typename T>
    auto visit_let(const T *op) -> decltype(op->body) {
        struct Frame {
            const T *op;
            Expr value;
            ScopedBinding<> binding;
            Frame(const T *op, Expr v, Scope<> &scope)
                : op(op), value(std::move(v)), binding(scope, op->name) {
            }
        };
        std::vector<Frame> frames;
        decltype(op->body) result;
        do {
            frames.emplace_back(op, mutate(op->value), varying);
            result = op->body;
        } while ((op = result.template as<T>()));
        result = mutate(result);
        for (const auto &frame : reverse_view(frames)) {
            result = T::make(frame.op->name, frame.value, result);
        }
        return result;
    }

    Stmt visit(const LetStmt *op) override {
        return visit_let(op);
    }

    Expr visit(const Let *op) override {
        return visit_let(op);
    }
};

class Wrong : public IRMutator {
    Scope<> varying;

    template<typename T>
    auto visit_let(const T *op) -> decltype(op->body) {
        struct Frame {
            const T *op;
            Expr value;
            ScopedBinding<> binding;
            Frame(const T *op, Expr v, Scope<> &scope)
                : op(op), value(std::move(v)), binding(scope, op->name) {
            }
        };
        std::vector<Frame> frames;
        decltype(op->body) result;
        do {
            frames.emplace_back(op, mutate(op->value), varying);
            result = op->body;
        } while ((op = result.template as<T>()));
        result = mutate(result);
        for (const auto &frame : frames) {
            result = T::make(frame.op->name, frame.value, result);
        }
        return result;
    }

    Stmt visit(const LetStmt *op) override {
        return visit_let(op);
    }

    Expr visit(const Let *op) override {
        return visit_let(op);
    }
};
