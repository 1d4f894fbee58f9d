// A vector of a base class may be empty, too, and its elements are places.
// wrong: unsupported

class Base : public IRMutator {
  protected:
    std::deque<Expr> open_;
};

class Right : public Base {
    Stmt Mutate_(const AttrStmt *op, const Stmt &s) final {
        Stmt body = this->Mutate(op->body);
        open_.push_back(op->value);
        open_.push_back(op->value);
        open_.pop_front();
        open_.back() = op->value;
        return AttrStmt::make(op->node, op->attr_key, op->value, body);
    }

    Stmt Mutate_(const Evaluate *op, const Stmt &s) final {
        open_.clear();
        return s;
    }
};

class Wrong : public Base {
    Stmt Mutate_(const AttrStmt *op, const Stmt &s) final {
        open_.push_back(op->value);
        Stmt body = this->Mutate(op->body);
        open_.back() = op->value;
        return AttrStmt::make(op->node, op->attr_key, op->value, body);
    }

    Stmt Mutate_(const Evaluate *op, const Stmt &s) final {
        open_.clear();
        return s;
    }
};
