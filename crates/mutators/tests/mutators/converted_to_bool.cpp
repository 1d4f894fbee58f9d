// What is converted to bool is the operand, not its double.
// wrong: wrong
// right: partial

class Right : public IRVisitor {
    std::string id;

    void visit(const Cast *op) {
        std::string value = print_expr(op->value);
        if (op->type.is_bool()) {
            print_assignment(op->type, "(bool)(" + value + ")");
        } else {
            print_expr(Cast::make(op->type, op->value));
        }
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
        if (op->type.is_bool()) {
            print_assignment(op->type, "(bool)(" + value + " + " + value + ")");
        } else {
            print_expr(Cast::make(op->type, op->value));
        }
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};
