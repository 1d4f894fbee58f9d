// A variable is replaced by the name of the value that was computed.
// wrong: wrong
// right: partial

class Right : public IRVisitor {
    std::string id;
    std::ostringstream stream;

    void visit(const LetStmt *op) {
        std::string value = print_expr(op->value);
        Expr variable = Variable::make(op->value.type(), value);
        Stmt body = substitute(op->name, variable, op->body);
        body.accept(this);
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};

class Wrong : public IRVisitor {
    std::string id;
    std::ostringstream stream;

    void visit(const LetStmt *op) {
        std::string value = print_expr(op->value);
        Expr variable = Variable::make(op->value.type(), value);
        Stmt body = substitute(op->name, variable + 1, op->body);
        body.accept(this);
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};
