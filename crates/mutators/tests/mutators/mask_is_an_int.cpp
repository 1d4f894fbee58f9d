// A mask that is printed has as many bits as the type has.
// wrong: wrong
// right: undecided

class Right : public IRVisitor {
    std::string id;

    void visit(const Mod *op) {
        int bits;
        if (is_const_power_of_two_integer(op->b, &bits)) {
            std::ostringstream oss;
            oss << print_expr(op->a) << " & " << (((uint64_t)1 << bits) - 1);
            print_assignment(op->type, oss.str());
        } else {
            print_expr(lower_euclidean_mod(op->a, op->b));
        }
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};

class Wrong : public IRVisitor {
    std::string id;

    void visit(const Mod *op) {
        int bits;
        if (is_const_power_of_two_integer(op->b, &bits)) {
            std::ostringstream oss;
            oss << print_expr(op->a) << " & " << ((1 << bits) - 1);
            print_assignment(op->type, oss.str());
        } else {
            print_expr(lower_euclidean_mod(op->a, op->b));
        }
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};
