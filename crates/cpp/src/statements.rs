//! Reads statements.

use tree_sitter::Node;

use crate::ast::{Declared, Expr, ExprKind, Stmt, StmtKind};
use crate::declare::TABLE;
use crate::parse::{Reader, broken, named};
use crate::syntax::Syntax;

impl Reader<'_> {
    pub(crate) fn stmts(&self, nodes: &[Node<'_>]) -> Vec<Stmt> {
        nodes.iter().map(|node| self.stmt(*node)).collect()
    }

    pub(crate) fn stmt(&self, node: Node<'_>) -> Stmt {
        let kind = match broken(node) {
            Some(what) => Some(StmtKind::Other(what)),
            None => self.stmt_kind(node),
        };
        let kind = kind.unwrap_or_else(|| StmtKind::Other(node.kind().to_owned()));
        Stmt { kind, line: self.line(node) }
    }

    fn stmt_kind(&self, node: Node<'_>) -> Option<StmtKind> {
        let field = |name| node.child_by_field_name(name);
        Some(match Syntax::of(node.kind()) {
            // Such a variable is initialized once, and keeps the value that is assigned to it. A
            // table has the same value each time.
            Syntax::Declaration if self.is_table(node) => {
                let mut tables = self.declare(node)?;
                for table in &mut tables {
                    table.ty = format!("{TABLE}{}", table.ty);
                }
                StmtKind::Declare(tables)
            }
            Syntax::Declaration if self.is_kept(node) => {
                StmtKind::Other("a static variable".to_owned())
            }
            Syntax::Declaration => StmtKind::Declare(self.declare(node)?),
            Syntax::ExpressionStatement => match named(node).first() {
                Some(expr) => match self.expanded(*expr) {
                    Some(stmts) => StmtKind::Block(stmts),
                    None => StmtKind::Expr(self.expr(*expr)),
                },
                None => StmtKind::Nothing,
            },
            Syntax::CompoundStatement => StmtKind::Block(self.stmts(&named(node))),
            Syntax::ReturnStatement => {
                StmtKind::Return(named(node).first().map(|expr| self.expr(*expr)))
            }
            Syntax::IfStatement => self.if_else(node)?,
            Syntax::DoStatement => self.repeated(node)?,
            Syntax::WhileStatement => self.while_loop(node)?,
            Syntax::ForStatement => {
                let first = field("initializer").map(|first| {
                    Box::new(match Syntax::of(first.kind()) {
                        Syntax::Declaration => self.stmt(first),
                        _ => {
                            let kind = StmtKind::Expr(self.expr(first));
                            Stmt { kind, line: self.line(first) }
                        }
                    })
                });
                StmtKind::For {
                    first,
                    condition: field("condition").map(|condition| self.expr(condition)),
                    step: field("update").map(|step| self.expr(step)),
                    body: Box::new(self.stmt(field("body")?)),
                }
            }
            Syntax::ForRangeLoop if field("initializer").is_some() => return None,
            Syntax::ForRangeLoop => self.for_each(node)?,
            Syntax::SwitchStatement => {
                let clause = field("condition")?;
                let value = clause.child_by_field_name("value")?;
                if clause.child_by_field_name("initializer").is_some()
                    || value.kind() == "declaration"
                {
                    return None;
                }
                let value = self.expr(value);
                let mut arms = Vec::new();
                for arm in named(field("body")?) {
                    if arm.kind() != "case_statement" {
                        return None;
                    }
                    let label = arm.child_by_field_name("value");
                    let body: Vec<_> =
                        named(arm).into_iter().filter(|child| Some(*child) != label).collect();
                    arms.push((label.map(|label| self.expr(label)), self.stmts(&body)));
                }
                StmtKind::Switch(value, arms)
            }
            Syntax::BreakStatement => StmtKind::Break,
            Syntax::ContinueStatement => StmtKind::Continue,
            Syntax::UsingDeclaration
            | Syntax::AliasDeclaration
            | Syntax::TypeDefinition
            | Syntax::StaticAssertDeclaration => StmtKind::Nothing,
            Syntax::StructSpecifier => StmtKind::Struct(Box::new(self.local(node)?)),
            Syntax::ElseClause => return self.stmt_kind(*named(node).first()?),
            _ => return None,
        })
    }

    fn if_else(&self, node: Node<'_>) -> Option<StmtKind> {
        let field = |name| node.child_by_field_name(name);
        let clause = field("condition")?;
        let value = clause.child_by_field_name("value")?;
        let first = clause.child_by_field_name("initializer");
        let first = first.map(|first| named(first).first().map(|first| self.stmt(*first)));
        let (declared, condition) = if value.kind() == "declaration" {
            (Some(Box::new(self.condition_declared(value)?)), None)
        } else {
            (None, Some(self.expr(value)))
        };
        let then = Box::new(self.stmt(field("consequence")?));
        let otherwise = match field("alternative") {
            Some(clause) => Some(Box::new(self.stmt(*named(clause).first()?))),
            None => None,
        };
        let kind = StmtKind::If { declared, condition, then, otherwise };
        Some(match first {
            None => kind,
            // The variable is known in both branches, and nowhere else.
            Some(first) => StmtKind::Block(vec![first?, Stmt { kind, line: self.line(node) }]),
        })
    }

    fn while_loop(&self, node: Node<'_>) -> Option<StmtKind> {
        let field = |name| node.child_by_field_name(name);
        let value = field("condition")?.child_by_field_name("value")?;
        let body = Box::new(self.stmt(field("body")?));
        Some(if value.kind() == "declaration" {
            // `while (T x = e) body` is `while (true) if (T x = e) body else break`.
            let at = self.line(node);
            let stop = Stmt { kind: StmtKind::Break, line: at };
            let kind = StmtKind::If {
                declared: Some(Box::new(self.condition_declared(value)?)),
                condition: None,
                then: body,
                otherwise: Some(Box::new(stop)),
            };
            let always = Expr { kind: ExprKind::Bool(true), line: at };
            StmtKind::While(always, Box::new(Stmt { kind, line: at }))
        } else {
            StmtKind::While(self.expr(value), body)
        })
    }

    /// Reads a loop over the elements of a range.
    fn for_each(&self, node: Node<'_>) -> Option<StmtKind> {
        let field = |name| node.child_by_field_name(name);
        let ty = self.declared_type(node);
        let range = self.expr(field("right")?);
        let body = self.stmt(field("body")?);
        let declarator = field("declarator")?;
        let (names, suffix) = match Syntax::of(declarator.kind()) {
            Syntax::ReferenceDeclarator => (*named(declarator).first()?, "&"),
            _ => (declarator, ""),
        };
        Some(if names.kind() == "structured_binding_declarator" {
            let (whole, parts) = self.parts_of(&(ty + suffix), names);
            let line = body.line;
            let parts = Stmt { kind: StmtKind::Declare(parts), line };
            let body = Stmt { kind: StmtKind::Block(vec![parts, body]), line };
            StmtKind::ForEach(whole, range, Box::new(body))
        } else {
            let (suffix, name) = self.declarator(declarator)?;
            let variable = Declared { ty: ty + &suffix, name, value: None };
            StmtKind::ForEach(variable, range, Box::new(body))
        })
    }
}
