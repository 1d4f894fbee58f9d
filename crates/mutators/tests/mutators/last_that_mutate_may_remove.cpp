// Another method may have removed the elements of a vector.
// wrong: unsupported

class Right : public IRMutator {
    std::vector<Expr> open_;

    Stmt Mutate_(const AttrStmt *op, const Stmt &s) final {
        open_.push_back(op->value);
        Stmt body = this->Mutate(op->body);
        if (!open_.empty()) {
            open_.pop_back();
        }
        return AttrStmt::make(op->node, op->attr_key, op->value, body);
    }

    Stmt Mutate_(const Evaluate *op, const Stmt &s) final {
        open_.clear();
        return s;
    }
};

class Wrong : public IRMutator {
    std::vector<Expr> open_;

    Stmt Mutate_(const AttrStmt *op, const Stmt &s) final {
        open_.push_back(op->value);
        Stmt body = this->Mutate(op->body);
        open_.pop_back();
        return AttrStmt::make(op->node, op->attr_key, op->value, body);
    }

    Stmt Mutate_(const Evaluate *op, const Stmt &s) final {
        open_.clear();
        return s;
    }
};
