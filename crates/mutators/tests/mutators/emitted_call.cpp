// Arguments are printed in their order.
// wrong: undecided
// right: bounded

class Right : public IRVisitor {
    std::string id;
    std::ostringstream stream;

    void VisitStmt_(const KernelStmt *op) {
        stream << op->name << "(";
        for (size_t i = 0; i < op->args.size(); i++) {
            PrintExpr(op->args[i], stream);
            if (i < op->args.size() - 1) stream << ", ";
        }
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

    void VisitStmt_(const KernelStmt *op) {
        stream << op->name << "(";
        for (size_t i = 0; i < op->args.size(); i++) {
            PrintExpr(op->args[op->args.size() - 1 - i], stream);
            if (i < op->args.size() - 1) stream << ", ";
        }
        stream << ");\n";
    }

    std::string PrintExpr(Expr e) {
        std::ostringstream os;
        VisitExpr(e, os);
        return os.str();
    }
};
