// An assert that is printed holds where the one of the input does.
// wrong: wrong

class Right : public IRVisitor {
    std::string id;
    std::ostringstream stream;

    void VisitStmt_(const AssertStmt *op) {
        std::string condition = PrintExpr(op->condition);
        stream << "assert(" << condition << ");\n";
        if (op->body.defined()) {
            PrintStmt(op->body);
        }
    }

    std::string PrintExpr(Expr e) {
        std::ostringstream os;
        VisitExpr(e, os);
        return os.str();
    }
};

class Wrong : public IRVisitor {
    std::string id;
    std::ostringstream stream;

    void VisitStmt_(const AssertStmt *op) {
        std::string condition = PrintExpr(op->condition);
        stream << "assert(!" << condition << ");\n";
        if (op->body.defined()) {
            PrintStmt(op->body);
        }
    }

    std::string PrintExpr(Expr e) {
        std::ostringstream os;
        VisitExpr(e, os);
        return os.str();
    }
};
