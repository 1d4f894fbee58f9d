//! Resolves the syntax tree to terms: names, sorts, numbers of dimensions, sizes.

use std::rc::Rc;

use halidom_diag::{Diagnostic, Span};

use crate::arithmetic::{has_function, has_literal};
use crate::codes;
use crate::context::{Context, Fact, Shape, length};
use crate::print;
use crate::program::{Element, Input, Program, tensor_sort};
use crate::prover::{Goal, Prover};
use crate::syntax::ast::{self, Binary, Expr, ExprKind, Name, ParamKind};
use crate::term::{Arg, Arith, Compare, Index, Loop, Node, Pred, Reshape, Sort, Supply, Term, Var};

type Resolved<T> = Result<T, Box<Diagnostic>>;

fn error<T>(code: halidom_diag::Code, span: Span, message: impl Into<String>) -> Resolved<T> {
    Err(Box::new(Diagnostic::error(code, span, message)))
}

/// Resolves expressions in a scope.
pub struct Resolver<'a> {
    supply: &'a Supply,
    prover: &'a Prover,
    scope: Vec<Var>,
    /// Variables of a rule. They may be applied, and sizes are not checked in terms that use them.
    metas: Vec<Var>,
    /// The type of the program's elements, if known. Constants and functions must belong to it.
    element: Option<Element>,
}

impl<'a> Resolver<'a> {
    /// Returns a resolver with these variables in scope.
    pub fn new(supply: &'a Supply, prover: &'a Prover, scope: Vec<Var>) -> Self {
        Self { supply, prover, scope, metas: Vec::new(), element: None }
    }

    /// Returns a resolver for the text of a rule. The rule's variables are in scope and may be
    /// applied.
    pub fn of_rule(supply: &'a Supply, prover: &'a Prover, metas: Vec<Var>) -> Self {
        Self { supply, prover, scope: metas.clone(), metas, element: None }
    }

    /// Sets the type of the program's elements.
    #[must_use]
    pub fn of_element(mut self, element: Element) -> Self {
        self.element = Some(element);
        self
    }

    fn find(&self, name: &str, span: Span) -> Resolved<Var> {
        match self.scope.iter().rev().find(|var| &*var.name == name) {
            Some(var) => Ok(var.clone()),
            None => {
                let mut known: Vec<&str> = self.scope.iter().map(|var| &*var.name).collect();
                known.dedup();
                Err(Box::new(
                    Diagnostic::error(
                        codes::UNKNOWN_NAME,
                        span,
                        format!("there is no `{name}` here"),
                    )
                    .with_hint(format!("names in scope: {}", known.join(", "))),
                ))
            }
        }
    }

    /// Resolves an expression to an integer.
    pub fn index(&self, expr: &Expr) -> Resolved<Index> {
        match &expr.kind {
            ExprKind::Num(text) => match text.parse() {
                Ok(value) => Ok(Index::Num(value)),
                Err(_) => error(
                    codes::WRONG_SORT,
                    expr.span,
                    format!("`{text}` is no integer of 64 bits"),
                ),
            },
            ExprKind::Name(name) => {
                let var = self.find(name, expr.span)?;
                match var.sort {
                    Sort::Index => Ok(Index::Var(var)),
                    Sort::Pred | Sort::Tensor(_) | Sort::Shape => {
                        error(codes::WRONG_SORT, expr.span, format!("`{name}` is no integer"))
                    }
                }
            }
            ExprKind::Binary(op, operands) => {
                let op = match op {
                    Binary::Add => Arith::Add,
                    Binary::Sub => Arith::Sub,
                    Binary::Mul => Arith::Mul,
                    Binary::Div => Arith::Div,
                    Binary::Mod => Arith::Mod,
                    Binary::Lt | Binary::Le | Binary::Eq | Binary::And => {
                        return error(codes::WRONG_SORT, expr.span, "a comparison is no integer");
                    }
                };
                let (a, b) = (self.index(&operands.0)?, self.index(&operands.1)?);
                match (op, a, b) {
                    // This is a minus sign before a number.
                    (Arith::Sub, Index::Num(0), Index::Num(value)) => Ok(Index::Num(-value)),
                    (op, a, b) => Ok(Index::exact(op, a, b)),
                }
            }
            ExprKind::Call(name, _, args) => {
                let op = match name.text.as_str() {
                    "ceil" => Arith::Ceil,
                    "min" => Arith::Min,
                    "max" => Arith::Max,
                    _ => {
                        return Err(Box::new(
                            Diagnostic::error(
                                codes::WRONG_SORT,
                                name.span,
                                format!("`{}` gives no integer", name.text),
                            )
                            .with_hint("functions of integers are `ceil`, `min` and `max`"),
                        ));
                    }
                };
                match args.as_slice() {
                    [a, b] => Ok(Index::exact(op, self.index(a)?, self.index(b)?)),
                    _ => error(
                        codes::WRONG_SORT,
                        expr.span,
                        format!("`{}` takes two integers", name.text),
                    ),
                }
            }
            ExprKind::Loop(..) | ExprKind::Guard(_) | ExprKind::Let(..) | ExprKind::Get(..) => {
                error(codes::WRONG_SORT, expr.span, "a tensor stands where an integer is needed")
            }
        }
    }

    /// Resolves an expression to a truth value.
    pub fn pred(&self, expr: &Expr) -> Resolved<Pred> {
        match &expr.kind {
            ExprKind::Binary(Binary::And, both) => {
                Ok(Pred::and(self.pred(&both.0)?, self.pred(&both.1)?))
            }
            ExprKind::Binary(op @ (Binary::Lt | Binary::Le | Binary::Eq), operands) => {
                let compare = match op {
                    Binary::Lt => Compare::Lt,
                    Binary::Le => Compare::Le,
                    Binary::Eq
                    | Binary::Add
                    | Binary::Sub
                    | Binary::Mul
                    | Binary::Div
                    | Binary::Mod
                    | Binary::And => Compare::Eq,
                };
                Ok(Pred::Compare(compare, self.index(&operands.0)?, self.index(&operands.1)?))
            }
            ExprKind::Name(name) if name == "true" || name == "false" => {
                Ok(Pred::Known(name == "true"))
            }
            ExprKind::Name(name) => {
                let var = self.find(name, expr.span)?;
                match var.sort {
                    Sort::Pred => Ok(Pred::Var(var)),
                    Sort::Index | Sort::Tensor(_) | Sort::Shape => {
                        error(codes::WRONG_SORT, expr.span, format!("`{name}` is no truth value"))
                    }
                }
            }
            ExprKind::Num(_)
            | ExprKind::Call(..)
            | ExprKind::Binary(..)
            | ExprKind::Loop(..)
            | ExprKind::Guard(_)
            | ExprKind::Let(..)
            | ExprKind::Get(..) => {
                error(codes::WRONG_SORT, expr.span, "a comparison is needed here")
            }
        }
    }

    /// Resolves an expression to a tensor and its shape. In the text of a rule, shapes are unknown.
    pub fn term(&mut self, expr: &Expr, context: &Context) -> Resolved<(Term, Option<Shape>)> {
        match &expr.kind {
            ExprKind::Num(text) => {
                if let Some(element) = self.element
                    && !has_literal(element, text)
                {
                    let message = format!("`{text}` is no {}", element.name());
                    return error(codes::WRONG_SORT, expr.span, message);
                }
                Ok((Rc::new(Node::Literal(text.as_str().into())), Some(Shape::default())))
            }
            ExprKind::Name(name) => {
                let var = self.find(name, expr.span)?;
                match var.sort {
                    Sort::Tensor(_) => {
                        let term = Rc::new(Node::Var(var));
                        let shape = context.shape(&term).filter(|_| self.metas.is_empty());
                        Ok((term, shape))
                    }
                    Sort::Index | Sort::Pred | Sort::Shape => {
                        error(codes::WRONG_SORT, expr.span, format!("`{name}` is no tensor"))
                    }
                }
            }
            ExprKind::Loop(is_gen, name, lo, hi, body) => {
                let lo = lo.as_ref().map_or(Ok(Index::Num(0)), |lo| self.index(lo))?;
                let hi = self.index(hi)?;
                let var = self.supply.fresh(&name.text, Sort::Index);
                let inner = context.with(Fact::Range(var.clone(), lo.clone(), hi.clone()));
                self.scope.push(var.clone());
                let resolved = self.term(body, &inner);
                self.scope.pop();
                let (body_term, shape) = resolved?;
                if let Some(shape) = &shape
                    && shape.dims.iter().any(|dim| dim.mentions(&var))
                {
                    let message = format!("the sizes of this body depend on `{}`", name.text);
                    return error(codes::WRONG_SIZE, body.span, message);
                }
                let (kind, shape) = if *is_gen {
                    (Loop::Gen, shape.map(|shape| shape.behind(length(&lo, &hi))))
                } else {
                    (Loop::Sum, shape)
                };
                Ok((Rc::new(Node::Loop(kind, var, lo, hi, body_term)), shape))
            }
            ExprKind::Guard(parts) => {
                let pred = self.pred(&parts.0)?;
                let inner = context.with(Fact::Holds(pred.clone()));
                let (body, shape) = self.term(&parts.1, &inner)?;
                Ok((Rc::new(Node::Guard(pred, body)), shape))
            }
            ExprKind::Let(name, parts) => {
                let (value, value_shape) = self.term(&parts.0, context)?;
                let var = self.supply.fresh(&name.text, Sort::Tensor(crate::term::rank(&value)));
                let mut inner = context.with(Fact::Is(var.clone(), Rc::clone(&value)));
                inner.shapes.extend(value_shape.map(|shape| (var.id, shape)));
                self.scope.push(var.clone());
                let resolved = self.term(&parts.1, &inner);
                self.scope.pop();
                let (body, shape) = resolved?;
                Ok((Rc::new(Node::Let(var, value, body)), shape))
            }
            ExprKind::Get(base, indices) => {
                let (mut term, mut shape) = self.term(base, context)?;
                for index in indices {
                    let index = self.index(index)?;
                    if crate::term::rank(&term).plus == 0 {
                        return error(codes::WRONG_RANK, expr.span, "more indices than dimensions");
                    }
                    if let Some(shape) = &mut shape {
                        shape.dims.remove(0);
                    }
                    term = Rc::new(Node::Get(term, index));
                }
                Ok((term, shape))
            }
            ExprKind::Binary(Binary::Add, parts) => {
                let (left, left_shape) = self.term(&parts.0, context)?;
                let (right, right_shape) = self.term(&parts.1, context)?;
                self.agree(
                    left_shape.as_ref(),
                    right_shape.as_ref(),
                    context,
                    expr.span,
                    "the operands of `+`",
                )?;
                Ok((Rc::new(Node::Add(left, right)), left_shape))
            }
            ExprKind::Binary(op @ (Binary::Mul | Binary::Div), parts) => {
                if *op == Binary::Div
                    && let Some(element) = self.element
                    && !has_function(element, "div")
                {
                    let message = format!("there is no `/` of {}", element.name());
                    return error(codes::WRONG_SORT, expr.span, message);
                }
                let left = self.scalar(&parts.0, context)?;
                let right = self.scalar(&parts.1, context)?;
                let node = if *op == Binary::Mul {
                    Node::Mul(left, right)
                } else {
                    Node::Call("div".into(), vec![left, right])
                };
                Ok((Rc::new(node), Some(Shape::default())))
            }
            ExprKind::Binary(..) => error(
                codes::WRONG_SORT,
                expr.span,
                "tensors are added with `+`, scalars also multiplied and divided",
            ),
            ExprKind::Call(name, sizes, args) => self.call(expr, name, sizes, args, context),
        }
    }

    fn scalar(&mut self, expr: &Expr, context: &Context) -> Resolved<Term> {
        let (term, _) = self.term(expr, context)?;
        let rank = crate::term::rank(&term);
        if rank.plus > 0 || rank.base.is_some() {
            return error(codes::WRONG_RANK, expr.span, "a tensor stands where a scalar is needed");
        }
        Ok(term)
    }

    fn call(
        &mut self,
        expr: &Expr,
        name: &Name,
        sizes: &[Expr],
        args: &[Expr],
        context: &Context,
    ) -> Resolved<(Term, Option<Shape>)> {
        if let Some(meta) = self.metas.iter().find(|meta| *meta.name == *name.text).cloned() {
            let args = args
                .iter()
                .map(|arg| match &arg.kind {
                    ExprKind::Name(text)
                        if matches!(self.find(text, arg.span)?.sort, Sort::Tensor(_)) =>
                    {
                        Ok(Arg::Term(self.term(arg, context)?.0))
                    }
                    ExprKind::Get(..) => Ok(Arg::Term(self.term(arg, context)?.0)),
                    ExprKind::Name(_)
                    | ExprKind::Num(_)
                    | ExprKind::Call(..)
                    | ExprKind::Binary(..)
                    | ExprKind::Loop(..)
                    | ExprKind::Guard(_)
                    | ExprKind::Let(..) => match self.index(arg) {
                        Ok(index) => Ok(Arg::Index(index)),
                        // An argument that is no integer is a tensor.
                        Err(_) => Ok(Arg::Term(self.term(arg, context)?.0)),
                    },
                })
                .collect::<Resolved<Vec<Arg>>>()?;
            return Ok((Rc::new(Node::Apply(meta, args)), None));
        }
        if let Some(op) = Reshape::ALL.into_iter().find(|op| op.name() == name.text) {
            return self.reshape(op, expr, sizes, args, context);
        }
        let count = match name.text.as_str() {
            "neg" | "abs" | "sqrt" | "exp" => 1,
            "div" | "minimum" | "maximum" => 2,
            _ => {
                return Err(Box::new(
                    Diagnostic::error(
                        codes::UNKNOWN_NAME,
                        name.span,
                        format!("there is no function `{}`", name.text),
                    )
                    .with_hint(
                        "functions are neg, abs, sqrt, exp, div, minimum, maximum and \
                            the reshape operators",
                    ),
                ));
            }
        };
        if let Some(element) = self.element
            && !has_function(element, &name.text)
        {
            let message = format!("there is no `{}` of {}", name.text, element.name());
            return error(codes::WRONG_SORT, name.span, message);
        }
        if args.len() != count {
            return error(
                codes::WRONG_RANK,
                expr.span,
                format!("`{}` takes {count} scalars", name.text),
            );
        }
        let args =
            args.iter().map(|arg| self.scalar(arg, context)).collect::<Resolved<Vec<Term>>>()?;
        Ok((Rc::new(Node::Call(name.text.as_str().into(), args)), Some(Shape::default())))
    }

    fn reshape(
        &mut self,
        op: Reshape,
        expr: &Expr,
        sizes: &[Expr],
        args: &[Expr],
        context: &Context,
    ) -> Resolved<(Term, Option<Shape>)> {
        let takes_size = match op {
            Reshape::Split | Reshape::PadR | Reshape::PadL | Reshape::TruncR | Reshape::TruncL => {
                sizes.is_empty()
            }
            Reshape::Concat | Reshape::Transpose | Reshape::Flatten => false,
        };
        let parts = if op == Reshape::Concat { 2 } else { 1 };
        if args.len() != parts + usize::from(takes_size) {
            let message = match (takes_size, parts) {
                (true, _) => format!("`{}` takes a size and a tensor", op.name()),
                (false, 1) => format!("`{}` takes a tensor", op.name()),
                (false, _) => format!("`{}` takes two tensors", op.name()),
            };
            return error(codes::WRONG_RANK, expr.span, message);
        }
        let own = if takes_size { Some(self.index(&args[0])?) } else { None };
        let (mut terms, mut shapes) = (Vec::new(), Vec::new());
        for arg in &args[usize::from(takes_size)..] {
            let (term, shape) = self.term(arg, context)?;
            terms.push(term);
            shapes.push(shape);
        }
        let least = if matches!(op, Reshape::Transpose | Reshape::Flatten) { 2 } else { 1 };
        if terms.iter().any(|term| crate::term::rank(term).plus < least) {
            return error(
                codes::WRONG_RANK,
                expr.span,
                format!("`{}` needs {least} dimensions or more", op.name()),
            );
        }
        let sizes = if !sizes.is_empty() {
            sizes.iter().map(|size| self.index(size)).collect::<Resolved<Vec<Index>>>()?
        } else {
            let dim = |part: usize, place: usize| -> Option<Index> {
                shapes.get(part)?.as_ref()?.dims.get(place).cloned()
            };
            let found = match op {
                Reshape::Concat => dim(0, 0).zip(dim(1, 0)).map(|(n, m)| vec![n, m]),
                Reshape::Transpose => Some(Vec::new()),
                Reshape::Flatten => dim(0, 0).zip(dim(0, 1)).map(|(n, m)| vec![n, m]),
                Reshape::TruncR => own.map(|own| vec![own]),
                Reshape::Split | Reshape::PadR | Reshape::PadL | Reshape::TruncL => {
                    dim(0, 0).zip(own).map(|(n, own)| vec![n, own])
                }
            };
            match found {
                Some(sizes) => sizes,
                None => {
                    return error(
                        codes::WRONG_RANK,
                        expr.span,
                        "the sizes of this tensor are not known",
                    );
                }
            }
        };
        if let [Some(first), Some(second)] = shapes.as_slice() {
            let tail =
                |shape: &Shape| Shape { dims: shape.dims[1..].to_vec(), rest: shape.rest.clone() };
            let what = "the elements of what `concat` joins";
            self.agree(Some(&tail(first)), Some(&tail(second)), context, expr.span, what)?;
        }
        self.size_demands(op, &sizes, shapes.first().and_then(Option::as_ref), context, expr.span)?;
        let term = Rc::new(Node::Reshape(op, sizes, terms));
        let shape = if shapes.iter().all(Option::is_some) { context.shape(&term) } else { None };
        Ok((term, shape))
    }

    /// Checks that a block size is positive, that truncation keeps at most the existing elements,
    /// and that padding is not negative.
    fn size_demands(
        &self,
        op: Reshape,
        sizes: &[Index],
        shape: Option<&Shape>,
        context: &Context,
        span: Span,
    ) -> Resolved<()> {
        let Some(shape) = shape else { return Ok(()) };
        let zero = Index::Num(0);
        let demands = match (op, sizes) {
            (Reshape::Split, [_, k]) => vec![Pred::Compare(Compare::Lt, zero, k.clone())],
            (Reshape::PadR | Reshape::PadL, [_, k]) => {
                vec![Pred::Compare(Compare::Le, zero, k.clone())]
            }
            (Reshape::TruncR, [k]) | (Reshape::TruncL, [_, k]) => vec![
                Pred::Compare(Compare::Le, zero, k.clone()),
                Pred::Compare(Compare::Le, k.clone(), shape.dims[0].clone()),
            ],
            (
                Reshape::Concat
                | Reshape::Transpose
                | Reshape::Flatten
                | Reshape::Split
                | Reshape::PadR
                | Reshape::PadL
                | Reshape::TruncR
                | Reshape::TruncL,
                _,
            ) => Vec::new(),
        };
        for demand in demands {
            if let Err(failure) = self.prover.prove(context, &Goal::Holds(demand)) {
                let message =
                    format!("`{}` needs {}, which does not follow here", op.name(), failure.open);
                let diagnostic = Diagnostic::error(codes::WRONG_SIZE, span, message);
                return Err(Box::new(with_values(diagnostic, failure.values)));
            }
        }
        Ok(())
    }

    fn agree(
        &self,
        left: Option<&Shape>,
        right: Option<&Shape>,
        context: &Context,
        span: Span,
        what: &str,
    ) -> Resolved<()> {
        let (Some(left), Some(right)) = (left, right) else { return Ok(()) };
        if left.dims.len() != right.dims.len() || left.rest != right.rest {
            return error(
                codes::WRONG_RANK,
                span,
                format!("{what} have different numbers of dimensions"),
            );
        }
        for (a, b) in left.dims.iter().zip(&right.dims) {
            let goal = Goal::Holds(Pred::Compare(Compare::Eq, a.clone(), b.clone()));
            if let Err(failure) = self.prover.prove(context, &goal) {
                let message =
                    format!("{what} have sizes {} and {}", print::index(a), print::index(b));
                let diagnostic = Diagnostic::error(codes::WRONG_SIZE, span, message);
                return Err(Box::new(with_values(diagnostic, failure.values)));
            }
        }
        Ok(())
    }
}

/// Adds the values for which something does not hold as a hint.
pub fn with_values(diagnostic: Diagnostic, values: Option<String>) -> Diagnostic {
    match values {
        Some(values) => diagnostic.with_hint(format!("it does not hold for {values}")),
        None => diagnostic,
    }
}

/// Resolves a program from its syntax tree.
///
/// # Errors
/// The first error in the program.
pub fn program(tree: &ast::Program, supply: &Supply, prover: &Prover) -> Resolved<Program> {
    let mut resolver = Resolver::new(supply, prover, Vec::new());
    let mut program = Program {
        name: tree.name.text.clone(),
        sizes: Vec::new(),
        shapes: Vec::new(),
        hypotheses: Vec::new(),
        inputs: Vec::new(),
        body: Rc::new(Node::Literal("0".into())),
        shape: Shape::default(),
    };
    for param in &tree.params {
        if resolver.scope.iter().any(|var| *var.name == *param.name.text) {
            let message = format!("there is a parameter `{}` already", param.name.text);
            return error(codes::NAME_TAKEN, param.name.span, message);
        }
        let var = match &param.kind {
            ParamKind::Size => {
                let var = supply.fresh(&param.name.text, Sort::Index);
                program.sizes.push(var.clone());
                var
            }
            ParamKind::Shape => {
                let var = supply.fresh(&param.name.text, Sort::Shape);
                program.shapes.push(var.clone());
                var
            }
            ParamKind::Tensor(element, dims, rest) => {
                let Some(known) =
                    Element::ALL.into_iter().find(|known| known.name() == element.text)
                else {
                    let names: Vec<&str> = Element::ALL.into_iter().map(Element::name).collect();
                    return Err(Box::new(
                        Diagnostic::error(
                            codes::UNKNOWN_NAME,
                            element.span,
                            format!("there is no element type `{}`", element.text),
                        )
                        .with_hint(format!("element types are {}", names.join(", "))),
                    ));
                };
                if program.inputs.first().is_some_and(|first| first.element != known) {
                    return error(
                        codes::WRONG_SORT,
                        element.span,
                        "all tensors of a program have one element type",
                    );
                }
                let dims =
                    dims.iter().map(|dim| resolver.index(dim)).collect::<Resolved<Vec<Index>>>()?;
                let rest = match rest {
                    None => None,
                    Some(name) => match resolver.find(&name.text, name.span)? {
                        var if var.sort == Sort::Shape => Some(var),
                        _ => {
                            return error(
                                codes::WRONG_SORT,
                                name.span,
                                format!("`{}` is no shape", name.text),
                            );
                        }
                    },
                };
                let shape = Shape { dims, rest };
                let var = supply.fresh(&param.name.text, tensor_sort(&shape));
                program.inputs.push(Input { var: var.clone(), element: known, shape });
                var
            }
            ParamKind::Site | ParamKind::Name => {
                return error(
                    codes::WRONG_SORT,
                    param.name.span,
                    "programs take sizes, shapes and tensors",
                );
            }
        };
        resolver.scope.push(var);
    }
    for pred in &tree.wheres {
        program.hypotheses.push(resolver.pred(pred)?);
    }
    let context = program.context();
    resolver = resolver.of_element(program.element());
    let (body, shape) = resolver.term(&tree.body, &context)?;
    program.body = body;
    match shape {
        Some(shape) => program.shape = shape,
        None => {
            return error(
                codes::WRONG_RANK,
                tree.body.span,
                "the sizes of the result are not known",
            );
        }
    }
    Ok(program)
}
