// A function that prints runs as it is written if its parameters are not those of the contract.
// wrong: wrong
// right: unsupported

class Right : public CodeGen_C {
    std::string print_expr(Expr e) {
        id = "$$ BAD ID $$";
        e.accept(this);
        return id;
    }

    void visit(const Add *op) {
        std::string a = print_expr(op->a);
        std::string b = print_expr(op->b);
        print_assignment(op->type, a + " + " + b);
    }
};

class Wrong : public CodeGen_C {
    std::string print_expr(Expr e, bool *is_known) {
        return "0";
    }

    void visit(const Add *op) {
        bool is_known = false;
        std::string a = print_expr(op->a, &is_known);
        std::string b = print_expr(op->b, &is_known);
        print_assignment(op->type, a + " + " + b);
    }
};
