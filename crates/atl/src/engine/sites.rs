//! Sites: the places that a script names. A name, an operator or a pattern must match one place, or
//! a number must select one.

use std::rc::Rc;

use super::{Path, Refusal, State, shortened};
use crate::codes;
use crate::syntax::ast::{Binary, Expr, ExprKind, Move, Site, SiteBase};
use crate::term::{Arith, Compare, Index, Loop, Node, Pred, Reshape, Term, children};

impl State<'_> {
    /// The place of a site, within a focus.
    pub(super) fn site(&self, focus: &[usize], site: &Site) -> Result<Path, Refusal> {
        let (found, what) = match &site.base {
            SiteBase::Here => (vec![focus.to_vec()], "here".to_owned()),
            SiteBase::Named(name) => (self.named(focus, name)?, format!("`{name}`")),
            SiteBase::Pattern(pattern) => {
                let places = self.places(focus, &|term, _| fits(pattern, term));
                (places, "what has this form".to_owned())
            }
        };
        let chosen = match (found.as_slice(), site.number) {
            ([], _) => {
                let known = self.names(focus);
                return Err(Refusal::new(codes::NO_SITE, format!("{what} is nowhere here"))
                    .with_hint(format!(
                        "here is `{}`; bound names: {}",
                        shortened(&self.part(focus)),
                        known.join(", ")
                    )));
            }
            (all, Some(number)) => {
                number.checked_sub(1).and_then(|place| all.get(place)).cloned().ok_or_else(
                    || {
                        Refusal::new(
                            codes::NO_SITE,
                            format!("{what} is here {} times, not {number}", all.len()),
                        )
                    },
                )?
            }
            ([only], None) => only.clone(),
            (all, None) => {
                let shown: Vec<String> = all
                    .iter()
                    .enumerate()
                    .map(|(place, path)| {
                        format!("#{}: `{}`", place + 1, shortened(&self.part(path)))
                    })
                    .collect();
                return Err(Refusal::new(
                    codes::NO_SITE,
                    format!("{what} is here {} times", all.len()),
                )
                .with_hint(format!("say which: {}", shown.join("; "))));
            }
        };
        let mut path = chosen;
        for step in &site.moves {
            let term = self.part(&path);
            let place = match (step, &*term) {
                (Move::Body, Node::Loop(..) | Node::Guard(..)) => Some(0),
                (Move::Body, Node::Let(..)) => Some(1),
                (Move::Value, Node::Let(..)) => Some(0),
                (Move::Left, Node::Add(..) | Node::Mul(..)) => Some(0),
                (Move::Right, Node::Add(..) | Node::Mul(..)) => Some(1),
                (Move::Left | Move::Right, Node::Reshape(Reshape::Concat, ..)) => {
                    Some(usize::from(*step == Move::Right))
                }
                (Move::Inner, _) if !children(&term).is_empty() => Some(0),
                (Move::Body | Move::Value | Move::Left | Move::Right | Move::Inner, _) => None,
            };
            match place {
                Some(place) => path.push(place),
                None => {
                    return Err(Refusal::new(
                        codes::NO_SITE,
                        format!("`{}` has no such part", shortened(&term)),
                    ));
                }
            }
        }
        Ok(path)
    }

    /// The places that a word names: the place of a cursor with that name, the binders with that
    /// name, reshape operators, or the outermost parts of a kind.
    fn named(&self, focus: &[usize], name: &str) -> Result<Vec<Path>, Refusal> {
        if let Some((_, cursor)) = self.cursors.iter().find(|(known, _)| known == name) {
            let mut places = self.resolve(cursor)?;
            places.retain(|place| place.starts_with(focus));
            return Ok(places);
        }
        let kind: Option<fn(&Node) -> bool> = match name {
            "gen" => Some(|node| matches!(node, Node::Loop(Loop::Gen, ..))),
            "sum" => Some(|node| matches!(node, Node::Loop(Loop::Sum, ..))),
            "let" => Some(|node| matches!(node, Node::Let(..))),
            "guard" => Some(|node| matches!(node, Node::Guard(..))),
            _ => None,
        };
        if let Some(kind) = kind {
            let all = self.places(focus, &|term, _| kind(term));
            return Ok(all
                .iter()
                .filter(|path| {
                    !all.iter().any(|other| other.len() < path.len() && path.starts_with(other))
                })
                .cloned()
                .collect());
        }
        Ok(self.places(focus, &|term, _| match &**term {
            Node::Loop(_, var, ..) | Node::Let(var, ..) => *var.name == *name,
            Node::Reshape(op, ..) => op.name() == name,
            Node::Var(_)
            | Node::Literal(_)
            | Node::Call(..)
            | Node::Guard(..)
            | Node::Get(..)
            | Node::Add(..)
            | Node::Mul(..)
            | Node::Apply(..) => false,
        }))
    }

    /// The sites that have a name: bound variables and reshape operators, each with its number if
    /// there are several of its name, and the text of the part.
    pub fn sites(&self) -> Vec<(String, String)> {
        let name_of = |term: &Term| match &**term {
            Node::Loop(_, var, ..) | Node::Let(var, ..) => Some(var.name.to_string()),
            Node::Reshape(op, ..) => Some(op.name().to_owned()),
            Node::Guard(..) => Some("guard".to_owned()),
            Node::Var(_)
            | Node::Literal(_)
            | Node::Call(..)
            | Node::Get(..)
            | Node::Add(..)
            | Node::Mul(..)
            | Node::Apply(..) => None,
        };
        let mut all = Vec::new();
        let mut known: Vec<String> = Vec::new();
        for place in self.places(&[], &|term, _| name_of(term).is_some()) {
            let Some(name) = name_of(&self.part(&place)) else { continue };
            if known.contains(&name) {
                continue;
            }
            known.push(name.clone());
            // `guard` denotes the outermost guards.
            let found = self.named(&[], &name).unwrap_or_default();
            for (number, place) in found.iter().enumerate() {
                let site =
                    if found.len() == 1 { name.clone() } else { format!("{name}#{}", number + 1) };
                all.push((site, shortened(&self.part(place))));
            }
        }
        all
    }

    fn names(&self, focus: &[usize]) -> Vec<String> {
        let mut names = Vec::new();
        for path in self.places(focus, &|term, _| matches!(&**term, Node::Loop(..) | Node::Let(..)))
        {
            if let Node::Loop(_, var, ..) | Node::Let(var, ..) = &*self.part(&path)
                && !names.contains(&var.name.to_string())
            {
                names.push(var.name.to_string());
            }
        }
        names
    }
}

/// True if a term matches a pattern, in which `_` matches anything. Names are compared as they are
/// written.
fn fits(pattern: &Expr, term: &Term) -> bool {
    match (&pattern.kind, &**term) {
        (ExprKind::Name(name), _) if name == "_" => true,
        (ExprKind::Name(name), Node::Var(var)) => **name == *var.name,
        (ExprKind::Num(text), Node::Literal(literal)) => **text == **literal,
        (ExprKind::Binary(Binary::Add, parts), Node::Add(a, b)) => {
            fits(&parts.0, a) && fits(&parts.1, b)
        }
        (ExprKind::Binary(Binary::Mul, parts), Node::Mul(a, b)) => {
            fits(&parts.0, a) && fits(&parts.1, b)
        }
        (ExprKind::Binary(Binary::Div, parts), Node::Call(name, args)) => {
            &**name == "div"
                && args.len() == 2
                && fits(&parts.0, &args[0])
                && fits(&parts.1, &args[1])
        }
        (ExprKind::Call(name, _, parts), Node::Call(called, args)) => {
            *name.text == **called
                && parts.len() == args.len()
                && parts.iter().zip(args).all(|(p, t)| fits(p, t))
        }
        (ExprKind::Call(name, _, parts), Node::Reshape(op, _, args)) => {
            name.text == op.name()
                && parts.len() >= args.len()
                && parts[parts.len() - args.len()..].iter().zip(args).all(|(p, t)| fits(p, t))
        }
        (ExprKind::Loop(is_gen, name, _, hi, body), Node::Loop(kind, var, _, upper, inner)) => {
            (*kind == Loop::Gen) == *is_gen
                && (name.text == "_" || *name.text == *var.name)
                && fits_index(hi, upper)
                && fits(body, inner)
        }
        (ExprKind::Guard(parts), Node::Guard(pred, body)) => {
            fits_pred(&parts.0, pred) && fits(&parts.1, body)
        }
        (ExprKind::Let(name, parts), Node::Let(var, value, body)) => {
            (name.text == "_" || *name.text == *var.name)
                && fits(&parts.0, value)
                && fits(&parts.1, body)
        }
        (ExprKind::Get(base, indices), Node::Get(..)) => {
            let mut inner = Rc::clone(term);
            for index in indices.iter().rev() {
                let Node::Get(tensor, found) = &*inner else { return false };
                if !fits_index(index, found) {
                    return false;
                }
                let tensor = Rc::clone(tensor);
                inner = tensor;
            }
            fits(base, &inner)
        }
        (
            ExprKind::Name(_)
            | ExprKind::Num(_)
            | ExprKind::Binary(..)
            | ExprKind::Call(..)
            | ExprKind::Loop(..)
            | ExprKind::Guard(_)
            | ExprKind::Let(..)
            | ExprKind::Get(..),
            _,
        ) => false,
    }
}

fn fits_index(pattern: &Expr, index: &Index) -> bool {
    match (&pattern.kind, index) {
        (ExprKind::Name(name), _) if name == "_" => true,
        (ExprKind::Name(name), Index::Var(var)) => **name == *var.name,
        (ExprKind::Num(text), Index::Num(value)) => text.parse() == Ok(*value),
        (ExprKind::Binary(op, parts), Index::Op(found, operands)) => {
            let same = matches!(
                (op, found),
                (Binary::Add, Arith::Add)
                    | (Binary::Sub, Arith::Sub)
                    | (Binary::Mul, Arith::Mul)
                    | (Binary::Div, Arith::Div)
                    | (Binary::Mod, Arith::Mod)
            );
            same && fits_index(&parts.0, &operands.0) && fits_index(&parts.1, &operands.1)
        }
        (ExprKind::Call(name, _, args), Index::Op(found, operands)) => {
            let same = matches!(
                (name.text.as_str(), found),
                ("ceil", Arith::Ceil) | ("min", Arith::Min) | ("max", Arith::Max)
            );
            same && args.len() == 2
                && fits_index(&args[0], &operands.0)
                && fits_index(&args[1], &operands.1)
        }
        (
            ExprKind::Name(_)
            | ExprKind::Num(_)
            | ExprKind::Binary(..)
            | ExprKind::Call(..)
            | ExprKind::Loop(..)
            | ExprKind::Guard(_)
            | ExprKind::Let(..)
            | ExprKind::Get(..),
            _,
        ) => false,
    }
}

fn fits_pred(pattern: &Expr, pred: &Pred) -> bool {
    match (&pattern.kind, pred) {
        (ExprKind::Name(name), _) if name == "_" => true,
        (ExprKind::Binary(Binary::And, parts), Pred::And(both)) => {
            fits_pred(&parts.0, &both.0) && fits_pred(&parts.1, &both.1)
        }
        (ExprKind::Binary(op, parts), Pred::Compare(compare, a, b)) => {
            let same = matches!(
                (op, compare),
                (Binary::Lt, Compare::Lt) | (Binary::Le, Compare::Le) | (Binary::Eq, Compare::Eq)
            );
            same && fits_index(&parts.0, a) && fits_index(&parts.1, b)
        }
        (
            ExprKind::Name(_)
            | ExprKind::Num(_)
            | ExprKind::Binary(..)
            | ExprKind::Call(..)
            | ExprKind::Loop(..)
            | ExprKind::Guard(_)
            | ExprKind::Let(..)
            | ExprKind::Get(..),
            _,
        ) => false,
    }
}
