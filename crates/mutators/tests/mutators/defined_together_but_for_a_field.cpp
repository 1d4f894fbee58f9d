// The value of a member may assign another one.
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
};

class Wrong : public IRMutator {
    NodeRef other_node_;
    Expr other_value_;
    std::function<void()> forget = [this] { other_value_ = Expr(); };

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
};
