// A buffer of one element is a variable of C; one of more is not.
// wrong: undecided

class Right : public IRVisitor {
    std::string id;
    std::map<const Variable *, int> buf_length_map_;

    void VisitExpr_(const Load *op, std::ostream &os) {
        std::string vid = GetVarID(op->buffer_var.get());
        if (buf_length_map_.count(op->buffer_var.get()) == 1 && buf_length_map_[op->buffer_var.get()] == 1) {
            os << vid;
        } else {
            os << vid;
            os << '[';
            PrintExpr(op->index, os);
            os << ']';
        }
    }

    void PrintExpr(const Expr &e, std::ostream &os) {
        VisitExpr(e, os);
    }
};

class Wrong : public IRVisitor {
    std::string id;
    std::map<const Variable *, int> buf_length_map_;

    void VisitExpr_(const Load *op, std::ostream &os) {
        std::string vid = GetVarID(op->buffer_var.get());
        if (buf_length_map_.count(op->buffer_var.get()) == 1 && buf_length_map_[op->buffer_var.get()] == 2) {
            os << vid;
        } else {
            os << vid;
            os << '[';
            PrintExpr(op->index, os);
            os << ']';
        }
    }

    void PrintExpr(const Expr &e, std::ostream &os) {
        VisitExpr(e, os);
    }
};
