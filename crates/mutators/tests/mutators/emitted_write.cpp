// What is written to a stream is the value.
// wrong: wrong

class Right : public IRVisitor {
    std::string id;
    std::ostringstream stream;

    void VisitStmt_(const StreamStmt *op) {
        stream << GetVarID(op->buffer_var.get()) << ".write(";
        PrintExpr(op->value, stream);
        stream << ");\n";
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

    void VisitStmt_(const StreamStmt *op) {
        stream << GetVarID(op->buffer_var.get()) << ".write(";
        PrintExpr(op->axis, stream);
        stream << ");\n";
    }

    std::string PrintExpr(Expr e) {
        std::ostringstream os;
        VisitExpr(e, os);
        return os.str();
    }
};
