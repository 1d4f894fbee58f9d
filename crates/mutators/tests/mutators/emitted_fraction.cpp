// A fraction is cut off where the type is the one of the node.
// wrong: wrong

class Right : public IRVisitor {
    std::string id;

    void visit(const Cast *op) {
        std::string value = print_expr(op->value);
        print_assignment(op->type, "(" + print_type(op->type) + ")(" + value + ")");
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};

class Wrong : public IRVisitor {
    std::string id;

    void visit(const Cast *op) {
        std::string value = print_expr(op->value);
        print_assignment(op->type, "(" + print_type(op->type.is_int() ? Int(8) : op->type) + ")(" + value + ")");
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};
