// A ramp is printed from its base, in steps of its stride.
// wrong: wrong

class Right : public IRVisitor {
    std::string id;

    void visit(const Ramp *op) {
        Type type = op->type.with_lanes(op->lanes);
        std::string base = print_expr(op->base);
        std::string stride = print_expr(op->stride);
        print_assignment(type, print_type(type) + "::ramp(" + base + ", " + stride + ")");
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};

class Wrong : public IRVisitor {
    std::string id;

    void visit(const Ramp *op) {
        Type type = op->type.with_lanes(op->lanes);
        std::string base = print_expr(op->base);
        std::string stride = print_expr(op->stride);
        print_assignment(type, print_type(type) + "::ramp(" + stride + ", " + base + ")");
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};
