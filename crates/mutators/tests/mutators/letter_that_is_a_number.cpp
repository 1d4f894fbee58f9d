// A letter in a variable of an integer type prints as a number.
// wrong: unsupported

class Right : public CodeGenC {
    void VisitExpr_(const Add *op, std::ostream &os) {
        int zero = 0;
        os << "((";
        PrintType(op->type, os);
        os << ")(";
        PrintExpr(op->a, os);
        os << " + ";
        PrintExpr(op->b, os);
        os << " + " << zero << "))";
    }
};

class Wrong : public CodeGenC {
    void VisitExpr_(const Add *op, std::ostream &os) {
        int zero = '0';
        os << "((";
        PrintType(op->type, os);
        os << ")(";
        PrintExpr(op->a, os);
        os << " + ";
        PrintExpr(op->b, os);
        os << " + " << zero << "))";
    }
};
