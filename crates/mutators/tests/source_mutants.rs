//! Changes right mutators that were written for tests in one place of their C++. No mutant is
//! verified if a run shows that it is wrong, and most mutants that a run shows to be wrong are
//! refuted.
//!
//! `HALIDOM_SOURCE_MUTANTS` is the number of mutants, a few by default;
//! `cargo xtask mutators --mutants` makes 300. With `HALIDOM_SOURCES`, as `cargo xtask mutators`
//! reads it, the test makes the same number of mutants of those compilers' small mutators that are
//! verified unchanged.
#![expect(
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking; most expressions are left as they are"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use halidom_cpp::ast::{Expr, ExprKind, File, Function};
use halidom_cpp::{Sign, parse};
use halidom_mutators::{Mutation, Standing, mutators_of, names, observe};
use halidom_rewrites::options::{Options, Source};
use halidom_rewrites::profile::{PROFILES, Profile};
use halidom_rewrites::rules::Limits;
use halidom_smt::{Family, Program};
use halidom_testgen::{is_sweep, sampled};

/// The number of mutants in a run of all tests.
const FEW: usize = 12;

/// The number of inputs on which a mutant is run.
const INPUTS: usize = 4000;

/// The kinds of changes.
const KINDS: [&str; 5] = ["comparison", "constant", "guard", "operands", "scope"];

/// A mutator with one change.
struct Mutant {
    /// The name of the file.
    name: String,
    /// The kind of change, one of [`KINDS`].
    kind: &'static str,
    /// A description of the change, and its line.
    text: String,
    original: Arc<File>,
    /// The number of the changed function, and the function after the change.
    changed: (usize, Function),
    /// The name of the mutator.
    mutator: String,
    profile: &'static Profile,
    /// The mutation of operands.
    mutation: Mutation,
}

/// Returns the possible replacements of an expression, each with its kind and a description.
fn variants(expr: &Expr) -> Vec<(&'static str, String, Expr)> {
    let with = |kind: ExprKind| Expr { kind, line: expr.line };
    let mut found = Vec::new();
    match &expr.kind {
        ExprKind::Binary(sign, lhs, rhs) => {
            let others: &[Sign] = match sign {
                Sign::Lt => &[Sign::Le, Sign::Gt],
                Sign::Le => &[Sign::Lt, Sign::Ge],
                Sign::Gt => &[Sign::Ge, Sign::Lt],
                Sign::Ge => &[Sign::Gt, Sign::Le],
                Sign::Eq => &[Sign::Ne],
                Sign::Ne => &[Sign::Eq],
                _ => &[],
            };
            for other in others {
                let kind = ExprKind::Binary(*other, lhs.clone(), rhs.clone());
                found.push(("comparison", format!("{sign} becomes {other}"), with(kind)));
            }
            if *sign == Sign::And {
                found.push(("guard", "the left of && is dropped".to_owned(), (**rhs).clone()));
                found.push(("guard", "the right of && is dropped".to_owned(), (**lhs).clone()));
            }
            if matches!(sign, Sign::Sub | Sign::Div | Sign::Rem | Sign::Shl | Sign::Shr) {
                let kind = ExprKind::Binary(*sign, rhs.clone(), lhs.clone());
                found.push(("operands", format!("those of {sign} are swapped"), with(kind)));
            }
        }
        ExprKind::Integer(value, suffix) => {
            for other in [value - 1, value + 1] {
                let kind = ExprKind::Integer(other, suffix.clone());
                found.push(("constant", format!("{value} becomes {other}"), with(kind)));
            }
        }
        ExprKind::Call { callee, arguments, .. }
            if matches!(&callee.kind, ExprKind::Member { name, .. } if name == "pop")
                && arguments.len() == 1 =>
        {
            found.push(("scope", "a pop is dropped".to_owned(), with(ExprKind::Bool(true))));
        }
        ExprKind::Call { callee, arguments, .. }
            if matches!(&callee.kind, ExprKind::Member { name, .. } if name == "push")
                && arguments.len() == 2 =>
        {
            found.push(("scope", "a push is dropped".to_owned(), with(ExprKind::Bool(true))));
        }
        ExprKind::Call { callee, templates, arguments } if arguments.len() >= 2 => {
            let mut swapped = arguments.clone();
            let last = swapped.len() - 1;
            swapped.swap(last - 1, last);
            let (callee, templates) = (callee.clone(), templates.clone());
            let text = match &callee.kind {
                ExprKind::Name(name) => format!("the last two of {name} are swapped"),
                _ => "the last two of a call are swapped".to_owned(),
            };
            let kind = ExprKind::Call { callee, templates, arguments: swapped };
            found.push(("operands", text, with(kind)));
        }
        ExprKind::Member { object, arrow, name } if matches!(name.as_str(), "a" | "b") => {
            let other = if name == "a" { "b" } else { "a" };
            let (object, arrow) = (object.clone(), *arrow);
            let kind = ExprKind::Member { object, arrow, name: other.to_owned() };
            found.push(("operands", format!("{name} becomes {other}"), with(kind)));
        }
        _ => {}
    }
    found
}

/// Returns every change of a function.
fn changes(function: &Function) -> Vec<(&'static str, String, Function)> {
    let mut places = Vec::new();
    function.clone().visit_mut(&mut |expr| places.push((expr.line, variants(expr))));
    let mut found = Vec::new();
    for (place, (line, variants)) in places.into_iter().enumerate() {
        for (kind, text, new) in variants {
            let mut changed = function.clone();
            let mut next = 0;
            changed.visit_mut(&mut |expr| {
                if next == place {
                    *expr = new.clone();
                }
                next += 1;
            });
            // The cache finds verdicts by the function's text, so the text must change too.
            changed.text = format!("{text} in line {line}: {}", function.text);
            found.push((kind, format!("line {line}: {text}"), changed));
        }
    }
    found
}

/// Returns the mutants of some functions of a file.
fn mutants_of(
    name: &str,
    file: &Arc<File>,
    mutator: &str,
    is_changed: impl Fn(&Function) -> bool,
    profile: &'static Profile,
    mutation: Mutation,
) -> Vec<Mutant> {
    let mut found = Vec::new();
    for (index, function) in file.functions.iter().enumerate().filter(|(_, f)| is_changed(f)) {
        for (kind, text, changed) in changes(function) {
            found.push(Mutant {
                name: name.to_owned(),
                kind,
                text,
                original: Arc::clone(file),
                changed: (index, changed),
                mutator: mutator.to_owned(),
                profile,
                mutation,
            });
        }
    }
    found
}

fn own() -> Vec<Mutant> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mutators");
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        let profile = text.lines().take(4).find_map(|line| line.strip_prefix("// profile: "));
        let profile = Profile::named(profile.unwrap_or("heterocl")).expect("a known profile");
        let mut file = parse(&text).expect("a file that is read");
        file.functions.retain(|function| function.class != "Wrong");
        file.classes.retain(|class| class.name != "Wrong");
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let file = Arc::new(file);
        found.extend(mutants_of(&name, &file, "Right", |_| true, profile, Mutation::Own));
    }
    found
}

/// The most lines of a small mutator.
const SMALL: usize = 40;

/// The names of a folder's files that a pattern with at most one `*` matches, in order.
fn matching(folder: &Path, pattern: &str) -> Vec<String> {
    let Some((start, end)) = pattern.split_once('*') else { return vec![pattern.to_owned()] };
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut found: Vec<String> =
        names.filter(|name| name.starts_with(start) && name.ends_with(end)).collect();
    found.sort();
    found
}

/// Returns mutants of those small mutators of the available compilers that are verified unchanged.
/// Their classes may treat operands wrongly, so operands stay as they are.
fn real() -> Vec<Mutant> {
    let Some(folder) = std::env::var_os("HALIDOM_SOURCES").map(PathBuf::from) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for profile in PROFILES {
        for (within, patterns) in profile.sources {
            let folder = folder.join(profile.name).join(within);
            for name in patterns.iter().flat_map(|pattern| matching(&folder, pattern)) {
                let Ok(text) = fs::read_to_string(folder.join(&name)) else { continue };
                let file = Arc::new(parse(&text).expect("a file that is read"));
                let source = Source { name, text };
                for (name, title) in names(&[source], &[]) {
                    let is_it = |function: &Function| {
                        title == format!("{}::{}", function.class, function.name)
                            || function.parameters.first().is_some_and(|first| {
                                let ty = first.ty.trim_end_matches('*');
                                title == format!("{}::visit(const {ty} *)", function.class)
                            })
                    };
                    let is_small = |f: &Function| is_it(f) && f.last_line - f.line < SMALL;
                    if !file.functions.iter().any(is_small) {
                        continue;
                    }
                    let mutator = format!("{name}: {title}");
                    let files = vec![(name.clone(), (*file).clone())];
                    let examined =
                        mutators_of(files, std::slice::from_ref(&mutator), &options(profile));
                    let examined = examined.expect("a solver that runs");
                    if examined[0].examination.standing() == Standing::Verified {
                        let mutation = Mutation::None;
                        found.extend(mutants_of(
                            &name, &file, &mutator, is_small, profile, mutation,
                        ));
                    }
                }
            }
        }
    }
    found
}

/// Returns a sample of the given size, the same each time.
fn sample(mut all: Vec<Mutant>, count: usize) -> Vec<Mutant> {
    let mut seed: u64 = 42;
    let mut chosen = Vec::new();
    while chosen.len() < count && !all.is_empty() {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        chosen.push(all.swap_remove((seed >> 33) as usize % all.len()));
    }
    chosen
}

fn options(profile: &'static Profile) -> Options {
    Options {
        profile,
        solver: Program::find(Family::Z3, None).expect("Z3; `cargo xtask setup` installs it"),
        limits: Limits { milliseconds: 1000 },
        threads: 1,
        cache: None,
    }
}

/// The results for a mutant.
struct Judged {
    standing: Standing,
    /// The input on which a run shows that the mutant is wrong.
    seen: Option<String>,
}

fn judge(mutant: &Mutant) -> Judged {
    let mut changed = (*mutant.original).clone();
    changed.functions[mutant.changed.0] = mutant.changed.1.clone();
    let files = vec![(mutant.name.clone(), changed)];
    let wanted = [mutant.mutator.clone()];
    let examined = mutators_of(files.clone(), &wanted, &options(mutant.profile)).unwrap();
    let standing = examined[0].examination.standing();
    let original = vec![(mutant.name.clone(), (*mutant.original).clone())];
    let observed =
        |mutation| observe(&files, &original, &mutant.mutator, mutant.profile, mutation, INPUTS);
    let mut seen = observed(mutant.mutation);
    if standing == Standing::Verified {
        // `mutate` may return any node of the type and the value.
        seen = seen.or_else(|| observed(Mutation::None)).or_else(|| observed(Mutation::Copied));
    }
    Judged { standing, seen }
}

/// Returns the error that is observed in a minimum that is computed in this way on signed integers
/// of the given width. At 32 bits, overflow is excluded.
fn seen_of_minimum(result: &str, bits: u8) -> Option<String> {
    let file = |result: &str| {
        let text = format!(
            "class Right : public IRMutator {{
                void visit(const Min *op, const Expr &self) {{
                    Expr a = mutate(op->a);
                    Expr b = mutate(op->b);
                    expr = Min::make(a, b);
                    if (op->type.is_int() && op->type.bits() == {bits}) {{
                        Expr one = make_one(op->type);
                        expr = {result};
                    }}
                }}
            }};"
        );
        vec![("minimum".to_owned(), parse(&text).expect("a file that is read"))]
    };
    let profile = Profile::named("heterocl").expect("a known profile");
    let (mutant, original) = (file(result), file("Min::make(a, b)"));
    observe(&mutant, &original, "Right", profile, Mutation::None, INPUTS)
}

#[test]
fn overflow_that_is_excluded_is_not_seen() {
    // The sum overflows on the greatest integer, which is excluded in the result too.
    let sums = "Min::make(a + one, b + one) - one";
    assert_eq!(seen_of_minimum(sums, 32), None);
    // The divisor is 0 for no number, but its square wraps to 0 for the least number.
    let quotient = "Min::make(a, b) + (b - b) / Select::make(b == 0, one, b * b)";
    assert_eq!(seen_of_minimum(quotient, 32), None);
    // Errors without overflow are seen, and so are the same errors where numbers wrap.
    for (result, bits) in [
        ("Min::make(a + one, b) - one", 32),
        ("Min::make(a, b) + (b - b) / b", 32),
        (sums, 8),
        (quotient, 8),
    ] {
        let seen = seen_of_minimum(result, bits);
        assert!(seen.is_some_and(|text| text.contains("becomes")), "{result} of {bits} bits");
    }
}

#[test]
fn no_observable_mutant_is_verified() {
    let count = std::env::var("HALIDOM_SOURCE_MUTANTS").ok().and_then(|text| text.parse().ok());
    let count = count.unwrap_or(FEW);
    let mut mutants = sample(own(), count);
    mutants.extend(sample(real(), count));
    let next = AtomicUsize::new(0);
    let judged: Mutex<BTreeMap<usize, Judged>> = Mutex::default();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(mutant) = mutants.get(index) else { return };
                    let verdict = judge(mutant);
                    judged.lock().unwrap().insert(index, verdict);
                }
            });
        }
    });
    let judged = judged.into_inner().unwrap();
    assert_eq!(judged.len(), mutants.len(), "a mutant was not judged");
    println!(
        "kind         mutants  refuted  verified  undecided  unsupported  observable  of them \
            refuted"
    );
    let (mut observable, mut refuted, mut wrongly) = (0, 0, Vec::new());
    for kind in KINDS.into_iter().chain(["all"]) {
        let of: Vec<(&Mutant, &Judged)> = mutants
            .iter()
            .zip(judged.values())
            .filter(|(mutant, _)| kind == "all" || mutant.kind == kind)
            .collect();
        let count = |wanted: &dyn Fn(&Judged) -> bool| of.iter().filter(|(_, j)| wanted(j)).count();
        // A refutation was replayed, so it counts as observed.
        let is_seen = |j: &Judged| j.standing.is_refuted() || j.seen.is_some();
        observable = count(&is_seen);
        refuted = count(&|j| j.standing.is_refuted());
        println!(
            "{kind:<12} {:>7} {refuted:>8} {:>9} {:>10} {:>12} {observable:>11} {refuted:>16}",
            of.len(),
            count(&|j| j.standing == Standing::Verified),
            count(&|j| matches!(j.standing, Standing::Undecided | Standing::Bounded)),
            count(&|j| j.standing == Standing::Unsupported),
        );
    }
    for (mutant, judged) in mutants.iter().zip(judged.values()) {
        let Some(seen) = &judged.seen else { continue };
        if judged.standing.is_refuted() {
            continue;
        }
        let said =
            format!("{} {}: {} though {seen}", mutant.name, mutant.text, judged.standing.name());
        println!("{said}");
        if judged.standing == Standing::Verified {
            wrongly.push(said);
        }
    }
    assert!(wrongly.is_empty(), "verified though observable:\n{}", wrongly.join("\n"));
    assert!(
        refuted * 10 >= observable * 6,
        "{refuted} of {observable} observable ones are refuted"
    );
}

#[test]
fn a_dropped_pop_is_refuted_where_another_one_is_left() {
    let dropped = judged_of_dropped("a pop is dropped");
    let of = |standing: Standing| -> Vec<&str> {
        let of = dropped.iter().filter(|(_, found)| *found == standing);
        of.map(|(mutant, _)| mutant.name.as_str()).collect()
    };
    let [refuted, verified, undecided] =
        [Standing::Scope, Standing::Verified, Standing::Undecided].map(of);
    let [two, three] = ["scope_and_early_return", "scope_two_levels_up"];
    // These do not push, and the other entries there are not theirs to pop.
    let [taken, missing] = ["pop_of_what_mutate_takes", "pop_without_its_push"];
    if is_sweep() {
        assert_eq!(refuted, [two, two, three, three, three]);
        assert_eq!(verified, [taken, taken, missing]);
    }
    assert!(!refuted.is_empty() && !undecided.is_empty(), "{refuted:?}, {undecided:?}");
    for (mutant, standing) in &dropped {
        let name = mutant.name.as_str();
        assert!(*standing != Standing::Scope || [two, three].contains(&name), "{name}");
        assert!(*standing != Standing::Verified || [taken, missing].contains(&name), "{name}");
    }
    // If no pop is left, the scope may be meant to grow. Of others, something is not supported.
    for (mutant, standing) in &dropped {
        use Standing::{Scope, Undecided, Unsupported, Verified};
        let is_known = [Scope, Verified, Undecided, Unsupported].contains(standing);
        assert!(is_known, "{}: {}", mutant.name, standing.name());
    }
}

#[test]
fn what_pops_without_its_push_is_not_verified() {
    let dropped = judged_of_dropped("a push is dropped");
    // Nothing pops what a constructor pushes.
    let popped = dropped.iter().filter(|(mutant, _)| mutant.name != "scope_that_is_filled");
    for (mutant, standing) in popped {
        let is_known = {
            use Standing::{Crash, Undecided, Unsupported};
            matches!(standing, Crash | Undecided | Unsupported)
        };
        assert!(is_known, "{} {}: {}", mutant.name, mutant.text, standing.name());
    }
}

/// Returns mutants in which one `push` or one `pop` is dropped, each with its standing: a share of
/// them, or all in a sweep.
fn judged_of_dropped(change: &str) -> Vec<(Mutant, Standing)> {
    let is_it = |mutant: &Mutant| mutant.kind == "scope" && mutant.text.ends_with(change);
    let all: Vec<Mutant> = own().into_iter().filter(is_it).collect();
    assert!(all.len() > 8, "{change}: {}", all.len());
    let dropped = sampled(all, 3).into_iter().map(|mutant| {
        let mut changed = (*mutant.original).clone();
        changed.functions[mutant.changed.0] = mutant.changed.1.clone();
        let files = vec![(mutant.name.clone(), changed)];
        let wanted = [mutant.mutator.clone()];
        let examined = mutators_of(files, &wanted, &options(mutant.profile)).unwrap();
        let standing = examined[0].examination.standing();
        (mutant, standing)
    });
    dropped.collect()
}
