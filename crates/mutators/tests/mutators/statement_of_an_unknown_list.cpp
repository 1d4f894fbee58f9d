// A block of one statement is this statement.
// wrong: unsupported

class Right : public IRMutator {
    Stmt Mutate_(const ProducerConsumer *op, const Stmt &s) final {
        Stmt body = this->Mutate(op->body);
        Stmt made = Block::make(Evaluate::make(0), body);
        if (made.same_as(op->body)) {
            return Evaluate::make(0);
        }
        return ProducerConsumer::make(op->func, op->is_producer, made);
    }
};

class Wrong : public IRMutator {
    std::vector<Stmt> list_;

    Stmt Mutate_(const ProducerConsumer *op, const Stmt &s) final {
        if (const AttrStmt *attr = op->body.as<AttrStmt>()) {
            Stmt body = this->Mutate(op->body);
            Stmt made = Block::make(list_);
            if (made.same_as(attr->body)) {
                return Evaluate::make(0);
            }
        }
        return s;
    }

    Stmt Mutate_(const AttrStmt *op, const Stmt &s) final {
        list_.clear();
        list_.push_back(op->body);
        return s;
    }
};
