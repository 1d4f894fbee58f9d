// A method of another class may be named as one that only reads.
// wrong: undecided
// right: undecided

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
        struct Slot {
            bool same_as(Expr &e) {
                e = Expr();
                return true;
            }
        };
        Slot slot;
        slot.same_as(other_value_);
        return s;
    }
};
