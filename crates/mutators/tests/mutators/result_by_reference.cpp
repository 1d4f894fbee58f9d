// The member that holds the result may be assigned by a function that gets a reference to it.
// wrong: wrong
// profile: halide-hls

class Right : public IRMutator {
    using IRMutator::visit;

    template<typename NodeType, typename LetType>
    void visit_let(NodeType &result, const LetType *op) {
        Expr value = mutate(op->value);
        NodeType body = mutate(op->body);
        if (!value.same_as(op->value) || !body.same_as(op->body)) {
            result = LetType::make(op->name, value, body);
        } else {
            result = op;
        }
    }

    void visit(const Let *op) {
        visit_let(expr, op);
    }

    void visit(const LetStmt *op) {
        visit_let(stmt, op);
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;

    void keep(Expr &result, const Add *op) {
        result = op;
        expr = op->a;
    }

    void visit(const Add *op) {
        keep(expr, op);
    }
};
