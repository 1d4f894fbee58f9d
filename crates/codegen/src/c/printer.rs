//! Prints C trees: one statement per line, with parentheses where precedence needs them or where
//! gcc would warn without them.

use halidom_prelude::types::{scalar_name, vector_name};

use crate::c::tree::{CBinary, CExpr, CFunction, CStmt, CStruct, CType};

/// The binding strength of an expression. A child that binds less tightly than its place requires
/// gets parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Conditional,
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Relation,
    Shift,
    Sum,
    Product,
    Prefix,
    Postfix,
}

fn level_of(op: CBinary) -> Level {
    match op {
        CBinary::Mul | CBinary::Div | CBinary::Rem => Level::Product,
        CBinary::Add | CBinary::Sub => Level::Sum,
        CBinary::Shl | CBinary::Shr => Level::Shift,
        CBinary::Lt | CBinary::Le | CBinary::Gt | CBinary::Ge => Level::Relation,
        CBinary::Eq | CBinary::Ne => Level::Equality,
        CBinary::BitAnd => Level::BitAnd,
        CBinary::BitXor => Level::BitXor,
        CBinary::BitOr => Level::BitOr,
        CBinary::And => Level::And,
        CBinary::Or => Level::Or,
    }
}

fn level(expr: &CExpr) -> Level {
    match expr {
        CExpr::Name(_)
        | CExpr::Literal(_)
        | CExpr::Call(..)
        | CExpr::Index(..)
        | CExpr::Arrow(..)
        | CExpr::Dot(..)
        | CExpr::CompoundArray(..)
        | CExpr::SizeOf(_) => Level::Postfix,
        CExpr::Unary(..) | CExpr::Cast(..) => Level::Prefix,
        CExpr::Binary(op, ..) => level_of(*op),
        CExpr::Conditional(..) => Level::Conditional,
    }
}

/// Returns the least level that an operand may have without parentheses. It is stricter than C's
/// grammar wherever readers, and the warnings of gcc and clang, expect parentheses. Only these nest
/// by precedence: sums and products, arithmetic within relations, and relations within `&&` and
/// `||`.
fn operand_level(op: CBinary, right: bool) -> Level {
    match op {
        CBinary::Mul | CBinary::Div | CBinary::Rem if right => Level::Prefix,
        CBinary::Mul | CBinary::Div | CBinary::Rem => Level::Product,
        CBinary::Add | CBinary::Sub if right => Level::Product,
        CBinary::Add | CBinary::Sub => Level::Sum,
        CBinary::Shl | CBinary::Shr | CBinary::BitAnd | CBinary::BitXor | CBinary::BitOr => {
            Level::Prefix
        }
        CBinary::Lt | CBinary::Le | CBinary::Gt | CBinary::Ge | CBinary::Eq | CBinary::Ne => {
            Level::Sum
        }
        CBinary::And | CBinary::Or => Level::Equality,
    }
}

/// Appends a type and, if there is one, the name that is declared with it.
pub(crate) fn print_type(out: &mut String, ty: &CType, name: Option<&str>) {
    match ty {
        CType::Void => out.push_str("void"),
        CType::Status => out.push_str("int"),
        CType::Named(named) => out.push_str(named),
        CType::Scalar(scalar) => out.push_str(scalar_name(*scalar)),
        CType::Vector(scalar, lanes) => out.push_str(&vector_name(*scalar, *lanes)),
        CType::Pointer { to, read_only, restrict } => {
            if *read_only {
                out.push_str("const ");
            }
            print_type(out, to, None);
            out.push_str(" *");
            if *restrict {
                out.push_str("restrict ");
            }
            out.push_str(name.unwrap_or_default());
            return;
        }
    }
    if let Some(name) = name {
        out.push(' ');
        out.push_str(name);
    }
}

/// Appends an expression.
pub(crate) fn print_expr(out: &mut String, expr: &CExpr) {
    match expr {
        CExpr::Name(text) | CExpr::Literal(text) => out.push_str(text),
        CExpr::Unary(op, operand) => {
            out.push_str(op.text());
            // `- -x` must not become `--x`.
            let least =
                if matches!(**operand, CExpr::Unary(..)) { Level::Postfix } else { Level::Prefix };
            print_operand(out, operand, least);
        }
        CExpr::Binary(op, lhs, rhs) => {
            // A chain of `&&` or of `||` needs no parentheses; one within the other gets them.
            let chained = matches!(op, CBinary::And | CBinary::Or)
                && matches!(&**lhs, CExpr::Binary(inner, ..) if inner == op);
            let least = if chained { level_of(*op) } else { operand_level(*op, false) };
            print_operand(out, lhs, least);
            out.push(' ');
            out.push_str(op.text());
            out.push(' ');
            print_operand(out, rhs, operand_level(*op, true));
        }
        CExpr::Conditional(condition, if_true, if_false) => {
            print_operand(out, condition, Level::Or);
            out.push_str(" ? ");
            print_operand(out, if_true, Level::Or);
            out.push_str(" : ");
            print_operand(out, if_false, Level::Or);
        }
        CExpr::Cast(ty, operand) => {
            out.push('(');
            print_type(out, ty, None);
            out.push(')');
            print_operand(out, operand, Level::Prefix);
        }
        CExpr::Call(function, arguments) => {
            out.push_str(function);
            out.push('(');
            print_list(out, arguments);
            out.push(')');
        }
        CExpr::Index(base, index) => {
            print_operand(out, base, Level::Postfix);
            out.push('[');
            print_expr(out, index);
            out.push(']');
        }
        CExpr::Arrow(base, field) => {
            print_operand(out, base, Level::Postfix);
            out.push_str("->");
            out.push_str(field);
        }
        CExpr::Dot(base, field) => {
            print_operand(out, base, Level::Postfix);
            out.push('.');
            out.push_str(field);
        }
        CExpr::CompoundArray(ty, values) => {
            out.push('(');
            print_type(out, ty, None);
            out.push_str("[]){");
            print_list(out, values);
            out.push('}');
        }
        CExpr::SizeOf(ty) => {
            out.push_str("sizeof(");
            print_type(out, ty, None);
            out.push(')');
        }
    }
}

fn print_operand(out: &mut String, expr: &CExpr, least: Level) {
    let parenthesised = level(expr) < least;
    if parenthesised {
        out.push('(');
    }
    print_expr(out, expr);
    if parenthesised {
        out.push(')');
    }
}

fn print_list(out: &mut String, values: &[CExpr]) {
    for (position, value) in values.iter().enumerate() {
        if position > 0 {
            out.push_str(", ");
        }
        print_expr(out, value);
    }
}

/// Appends a comment line.
pub(crate) fn print_comment(out: &mut String, indent: usize, text: &str) {
    print_indent(out, indent);
    out.push_str("/* ");
    // A name from the source cannot close the comment. C drops a backslash at a line's end, also
    // where it is spelt `??/`, and then reads on.
    let mut previous = ' ';
    for character in text.chars() {
        let character = match character {
            '\\' => '/',
            control if control.is_control() => ' ',
            plain => plain,
        };
        if matches!((previous, character), ('*', '/') | ('/', '*') | ('?', '?')) {
            out.push(' ');
        }
        out.push(character);
        previous = character;
    }
    out.push_str(" */\n");
}

/// The depth beyond which statements are not indented further: allocations nest as deep as a
/// pipeline has stages.
const DEEPEST_INDENT: usize = 24;

fn print_indent(out: &mut String, indent: usize) {
    for _ in 0..indent.min(DEEPEST_INDENT) {
        out.push_str("    ");
    }
}

/// Appends a statement.
pub(crate) fn print_stmt(out: &mut String, indent: usize, stmt: &CStmt) {
    if let CStmt::Comment(text) = stmt {
        print_comment(out, indent, text);
        return;
    }
    print_indent(out, indent);
    match stmt {
        CStmt::Comment(_) => {}
        CStmt::DeclareOwning(name, memory) => {
            out.push_str("HALIDOM_OWNING void *");
            out.push_str(name);
            out.push_str(" = ");
            print_expr(out, memory);
            out.push_str(";\n");
        }
        CStmt::Declare(ty, name, value) => {
            print_type(out, ty, Some(name));
            out.push_str(" = ");
            print_expr(out, value);
            out.push_str(";\n");
        }
        CStmt::DeclareArray { ty, name, length, align } => {
            print_type(out, ty, Some(name));
            out.push('[');
            print_expr(out, length);
            out.push_str("] __attribute__((aligned(");
            out.push_str(&align.to_string());
            out.push_str("))) = {0};\n");
        }
        CStmt::DeclareStruct(ty, name, values) => {
            out.push_str(ty);
            out.push(' ');
            out.push_str(name);
            out.push_str(" = {");
            print_list(out, values);
            out.push_str("};\n");
        }
        CStmt::Assign(target, value) => {
            print_expr(out, target);
            out.push_str(" = ");
            print_expr(out, value);
            out.push_str(";\n");
        }
        CStmt::Expr(expr) => {
            print_expr(out, expr);
            out.push_str(";\n");
        }
        CStmt::Discard(name) => {
            out.push_str("(void)");
            out.push_str(name);
            out.push_str(";\n");
        }
        CStmt::If(condition, then_branch, else_branch) => {
            out.push_str("if (");
            print_expr(out, condition);
            out.push_str(") ");
            print_block(out, indent, then_branch);
            if let Some(else_branch) = else_branch {
                out.push_str(" else ");
                print_block(out, indent, else_branch);
            }
            out.push('\n');
        }
        CStmt::For { var, from, end, extent, body } => {
            out.push_str("for (int64_t ");
            out.push_str(var);
            out.push_str(" = ");
            print_expr(out, from);
            if let Some(end) = end {
                out.push_str(", ");
                out.push_str(end);
                out.push_str(" = ");
                out.push_str(var);
                out.push_str(" + ");
                print_operand(out, extent, operand_level(CBinary::Add, true));
            }
            out.push_str("; ");
            out.push_str(var);
            match end {
                Some(end) => {
                    out.push_str(" != ");
                    out.push_str(end);
                }
                None => {
                    out.push_str(" < ");
                    print_operand(out, extent, operand_level(CBinary::Lt, true));
                }
            }
            out.push_str("; ");
            out.push_str(var);
            out.push_str("++) ");
            print_block(out, indent, body);
            out.push('\n');
        }
        CStmt::Block(body) => {
            print_block(out, indent, body);
            out.push('\n');
        }
        CStmt::Return(value) => {
            out.push_str("return ");
            print_expr(out, value);
            out.push_str(";\n");
        }
    }
}

fn print_block(out: &mut String, indent: usize, body: &[CStmt]) {
    out.push_str("{\n");
    for stmt in body {
        print_stmt(out, indent + 1, stmt);
    }
    print_indent(out, indent);
    out.push('}');
}

/// Appends a function's head, without its body or a semicolon.
pub(crate) fn print_signature(out: &mut String, function: &CFunction) {
    if !function.external {
        out.push_str("static ");
    }
    out.push_str("int ");
    out.push_str(&function.name);
    out.push('(');
    for (position, (ty, name)) in function.parameters.iter().enumerate() {
        if position > 0 {
            out.push_str(", ");
        }
        print_type(out, ty, Some(name));
    }
    out.push(')');
}

/// Appends a function.
pub(crate) fn print_function(out: &mut String, function: &CFunction) {
    for line in &function.comment {
        print_comment(out, 0, line);
    }
    print_signature(out, function);
    out.push(' ');
    print_block(out, 0, &function.body);
    out.push('\n');
}

/// Appends a struct.
pub(crate) fn print_struct(out: &mut String, declared: &CStruct) {
    for line in &declared.comment {
        print_comment(out, 0, line);
    }
    out.push_str("typedef struct ");
    out.push_str(&declared.name);
    out.push_str(" {\n");
    for (ty, name) in &declared.fields {
        print_indent(out, 1);
        print_type(out, ty, Some(name));
        out.push_str(";\n");
    }
    out.push_str("} ");
    out.push_str(&declared.name);
    out.push_str(";\n");
}

#[cfg(test)]
mod tests {
    use super::print_expr;
    use crate::c::tree::{CBinary, CExpr, CUnary};

    fn text(expr: &CExpr) -> String {
        let mut out = String::new();
        print_expr(&mut out, expr);
        out
    }

    #[test]
    fn parentheses_keep_the_tree_and_stay_away_where_precedence_does() {
        use CBinary::{Add, And, BitAnd, Div, Lt, Mul, Or, Shl, Sub};
        let n = |name: &str| CExpr::name(name);
        let b = CExpr::binary;
        for (expr, expected) in [
            (b(Sub, b(Add, n("a"), n("b")), n("c")), "a + b - c"),
            (b(Sub, n("a"), b(Add, n("b"), n("c"))), "a - (b + c)"),
            (b(Add, n("a"), b(Mul, n("b"), n("c"))), "a + b * c"),
            (b(Mul, b(Add, n("a"), n("b")), n("c")), "(a + b) * c"),
            (b(Div, n("a"), b(Mul, n("b"), n("c"))), "a / (b * c)"),
            (b(Or, b(And, n("a"), n("b")), n("c")), "(a && b) || c"),
            (b(And, b(And, n("a"), n("b")), n("c")), "a && b && c"),
            (b(And, n("a"), b(And, n("b"), n("c"))), "a && (b && c)"),
            (b(And, b(Lt, n("a"), b(Add, n("b"), n("c"))), n("d")), "a < b + c && d"),
            (b(BitAnd, b(Lt, n("a"), n("b")), n("c")), "(a < b) & c"),
            (b(Shl, b(Add, n("a"), n("b")), n("c")), "(a + b) << c"),
            (CExpr::unary(CUnary::Minus, CExpr::unary(CUnary::Minus, n("a"))), "-(-a)"),
            (CExpr::unary(CUnary::Minus, b(Mul, n("a"), n("b"))), "-(a * b)"),
            (b(Add, CExpr::conditional(n("a"), n("b"), n("c")), n("d")), "(a ? b : c) + d"),
        ] {
            assert_eq!(text(&expr), expected);
        }
    }
}
