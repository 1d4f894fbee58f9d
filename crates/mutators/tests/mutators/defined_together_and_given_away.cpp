// A function may cast away that a reference is constant.
// wrong: undecided

class Right : public IRMutator {
    NodeRef node_;
    Expr value_;

    Stmt Mutate_(const ProducerConsumer *op, const Stmt &s) final {
        Stmt stmt = IRMutator::Mutate_(op, s);
        if (node_.defined()) {
            stmt = AttrStmt::make(node_, "key", value_, stmt);
            node_ = NodeRef();
            value_ = Expr();
        }
        return stmt;
    }

    Stmt Mutate_(const AttrStmt *op, const Stmt &s) final {
        node_ = op->node;
        value_ = op->value;
        return op->body;
    }

    Stmt Mutate_(const Evaluate *op, const Stmt &s) final {
        return IsSame(value_, op->value) ? s : Evaluate::make(op->value);
    }

    bool IsSame(const Expr &a, const Expr &b) { return a.same_as(b); }
};

class Wrong : public IRMutator {
    NodeRef other_node_;
    Expr other_value_;

    Stmt Mutate_(const ProducerConsumer *op, const Stmt &s) final {
        Stmt stmt = IRMutator::Mutate_(op, s);
        if (other_node_.defined()) {
            stmt = AttrStmt::make(other_node_, "key", other_value_, stmt);
            other_node_ = NodeRef();
            other_value_ = Expr();
        }
        return stmt;
    }

    Stmt Mutate_(const AttrStmt *op, const Stmt &s) final {
        other_node_ = op->node;
        other_value_ = op->value;
        return op->body;
    }

    Stmt Mutate_(const Evaluate *op, const Stmt &s) final {
        Forget(other_value_);
        return s;
    }

    void Forget(const Expr &e) { ((Expr &)e) = Expr(); }
};
