// An element at an index must be there when it is asked for.
// wrong: unsupported

class Right : public IRMutator {
    std::vector<int> depths_;

    Stmt Mutate_(const AttrStmt *op, const Stmt &s) final {
        depths_.push_back(1);
        depths_.push_back(2);
        depths_.pop_back();
        if (depths_[0] > 2) {
            return s;
        }
        Stmt body = this->Mutate(op->body);
        return AttrStmt::make(op->node, op->attr_key, op->value, body);
    }

    Stmt Mutate_(const Evaluate *op, const Stmt &s) final {
        depths_.clear();
        return s;
    }
};

class Wrong : public IRMutator {
    std::vector<int> depths_;

    Stmt Mutate_(const AttrStmt *op, const Stmt &s) final {
        depths_.push_back(1);
        Stmt body = this->Mutate(op->body);
        if (depths_[0] > 2) {
            return AttrStmt::make(op->node, op->attr_key, op->value, body);
        }
        return AttrStmt::make(op->node, op->attr_key, op->value, body);
    }

    Stmt Mutate_(const Evaluate *op, const Stmt &s) final {
        depths_.clear();
        return s;
    }
};
