// The quotient of C rounds towards 0.
// wrong: wrong
// right: partial

class Right : public IRVisitor {
    std::string id;

    void visit(const Div *op) {
        int bits;
        if (is_const_power_of_two_integer(op->b, &bits)) {
            print_assignment(op->type, print_expr(op->a) + " >> " + std::to_string(bits));
        } else if (op->type.is_int()) {
            print_expr(lower_euclidean_div(op->a, op->b));
        } else {
            print_assignment(op->type, print_expr(op->a) + " / " + print_expr(op->b));
        }
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};

class Wrong : public IRVisitor {
    std::string id;

    void visit(const Div *op) {
        int bits;
        if (is_const_power_of_two_integer(op->b, &bits)) {
            print_assignment(op->type, print_expr(op->a) + " >> " + std::to_string(bits));
        } else if (op->type.is_uint()) {
            print_expr(lower_euclidean_div(op->a, op->b));
        } else {
            print_assignment(op->type, print_expr(op->a) + " / " + print_expr(op->b));
        }
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};
