//! Helpers that the tests share.

use halidom_diag::{Colours, Sources, render};
use halidom_ir::{Constant, Expr, ExprId, Pool, eval, verify};
use halidom_lang::{Module, parse};

/// Parses a text; also returns the first diagnostics as printed.
pub(crate) fn parse_text(name: &str, text: &str) -> (Module, String) {
    let mut sources = Sources::new();
    let file = sources.add(name, text);
    let module = parse(&sources, file);
    let report = module
        .diagnostics
        .iter()
        .take(20)
        .map(|diagnostic| render(&sources, diagnostic, Colours::Never))
        .collect();
    for diagnostic in &module.diagnostics {
        let span = diagnostic.span().expect("a diagnostic of a text has a place");
        assert!(span.start <= span.end && span.end <= text.len(), "{name}: {diagnostic:?}");
    }
    for pipeline in &module.pipelines {
        let verified = verify::algorithm(&module.pool, &pipeline.algorithm);
        assert!(verified.is_ok(), "{name}: {verified:?}\n{text}");
    }
    (module, report)
}

/// Parses a text that must have no errors.
pub(crate) fn parse_valid(name: &str, text: &str) -> Module {
    let (module, report) = parse_text(name, text);
    assert!(module.diagnostics.is_empty(), "{name}:\n{text}\n{report}");
    assert!(!module.pipelines.is_empty(), "{name}: there is no pipeline\n{text}");
    module
}

/// Returns the files of a folder of the repository with an extension, sorted: name and text.
pub(crate) fn files(folder: &str, extension: &str) -> Vec<(String, String)> {
    let folder = format!("{}/../../{folder}", env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|found| found == extension) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            files.push((name, std::fs::read_to_string(&path).unwrap()));
        }
    }
    files.sort();
    files
}

/// Returns the fenced code blocks of a page that start with `hal`: the text after that word, and
/// the code.
pub(crate) fn code_blocks(page: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in page.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => open = Some((info.to_owned(), String::new())),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some((_, code)), None) => {
                code.push_str(line);
                code.push('\n');
            }
            (None, None) => {}
        }
    }
    blocks
        .into_iter()
        .filter_map(|(info, code)| Some((info.strip_prefix("hal")?.to_owned(), code)))
        .collect()
}

/// Returns the value of an expression whose variables have these values; `None` if it reads a func.
pub(crate) fn evaluate(
    pool: &Pool,
    id: ExprId,
    values: &dyn Fn(&str) -> Constant,
) -> Option<Constant> {
    let value = |id| evaluate(pool, id, values);
    match pool.get(id) {
        Expr::Const(constant) => Some(*constant),
        Expr::Var(var) => Some(values(&pool.var(*var).name)),
        Expr::Unary(op, operand) => eval::unary(*op, value(*operand)?).ok(),
        Expr::Binary(op, lhs, rhs) => eval::binary(*op, value(*lhs)?, value(*rhs)?).ok(),
        Expr::Cast(scalar, operand) => eval::cast(*scalar, value(*operand)?).ok(),
        Expr::Call(intrinsic, operand) => eval::intrinsic(*intrinsic, value(*operand)?).ok(),
        Expr::Select { condition, if_true, if_false } => {
            if value(*condition)?.as_bool()? {
                value(*if_true)
            } else {
                value(*if_false)
            }
        }
        Expr::Apply { .. }
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => None,
    }
}

/// Returns the value of the last stage of the func of a name in the module's first pipeline.
pub(crate) fn value_of(module: &Module, func: &str) -> ExprId {
    let funcs = &module.pipelines[0].algorithm.funcs;
    let id = funcs.iter().find(|id| module.pool.func(**id).name == func).unwrap();
    module.pool.func(*id).stages().last().unwrap().values[0]
}
