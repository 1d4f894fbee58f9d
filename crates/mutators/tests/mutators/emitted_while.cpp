// A loop goes on while its condition holds.
// wrong: undecided

class Right : public IRVisitor {
    std::string id;
    std::ostringstream stream;

    void VisitStmt_(const While *op) {
        std::string condition = PrintExpr(op->condition);
        stream << "while (" << condition << ") {\n";
        PrintStmt(op->body);
        stream << "}\n";
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

    void VisitStmt_(const While *op) {
        std::string condition = PrintExpr(op->condition);
        stream << "while (0 == " << condition << ") {\n";
        PrintStmt(op->body);
        stream << "}\n";
    }

    std::string PrintExpr(Expr e) {
        std::ostringstream os;
        VisitExpr(e, os);
        return os.str();
    }
};
