// A conjunction is an if within an if, of all of its parts.
// wrong: wrong

class Right : public IRMutator {
    Stmt Mutate_(const IfThenElse *op, const Stmt &s) {
        Stmt stmt = IRMutator::Mutate_(op, s);
        op = stmt.as<IfThenElse>();
        std::vector<Expr> parts;
        if (const And *both = op->condition.as<And>()) {
            parts.push_back(both->a);
            parts.push_back(both->b);
        }
        if (parts.size() == 2 && !op->else_case.defined()) {
            Stmt inner = op->then_case;
            while (!parts.empty()) {
                inner = IfThenElse::make(parts.back(), inner);
                parts.pop_back();
            }
            return inner;
        }
        return stmt;
    }
};

class Wrong : public IRMutator {
    Stmt Mutate_(const IfThenElse *op, const Stmt &s) {
        Stmt stmt = IRMutator::Mutate_(op, s);
        op = stmt.as<IfThenElse>();
        std::vector<Expr> parts;
        if (const And *both = op->condition.as<And>()) {
            parts.push_back(both->a);
            parts.push_back(both->b);
        }
        if (parts.size() == 2 && !op->else_case.defined()) {
            Stmt inner = op->then_case;
            while (!parts.empty()) {
                inner = IfThenElse::make(parts.back(), inner);
                parts.pop_back();
                break;
            }
            return inner;
        }
        return stmt;
    }
};
