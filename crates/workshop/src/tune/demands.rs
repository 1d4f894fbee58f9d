//! Demands on outputs, which are checked at entry: a schedule that may make them has blocks of
//! constant size.

use halidom_ir::{Action, Directive, Pool, Tail};

use super::facts::{Facts, Func};

/// The largest number of coordinates of a dimension that a schedule may fix.
const FEW: i128 = 4;

/// Lets the last blocks of outputs move inwards, where that is permitted: the output must then be
/// at least one block large. Blocks that are larger than the output stay, and so does every tail
/// that a directive states.
pub(super) fn move_inwards(pool: &Pool, facts: &Facts, directives: &mut [Directive]) {
    if !facts.may_demand {
        return;
    }
    let number = |expr| pool.as_constant(expr).and_then(halidom_ir::Constant::as_integer);
    for output in facts.funcs.iter().filter(|func| func.is_output) {
        // The dimensions that no directive has cut yet.
        let mut whole: Vec<&String> = output.args.iter().collect();
        for found in directives.iter_mut() {
            if found.func != output.id || found.stage != 0 {
                continue;
            }
            let (vars, factors, tail) =
                if let Action::Split { var, factor, tail, .. }
                | Action::Vectorize { var, lanes: Some(factor), tail }
                | Action::Unroll { var, factor: Some(factor), tail } = &mut found.action
                {
                    (vec![var.clone()], vec![*factor], tail)
                } else if let Action::Tile { vars, factors, tail, .. } = &mut found.action {
                    (vars.to_vec(), factors.to_vec(), tail)
                } else {
                    if let Action::Fuse { outer, inner, .. } = &found.action {
                        whole.retain(|dim| *dim != outer && *dim != inner);
                    } else if let Action::Rename { from, .. } = &found.action {
                        whole.retain(|dim| *dim != from);
                    }
                    continue;
                };
            let fits = vars.iter().zip(&factors).all(|(var, factor)| {
                let factor = number(*factor);
                whole.contains(&var)
                    && extent(output, var).zip(factor).is_some_and(|(has, block)| block <= has)
            });
            if fits && *tail == Tail::Auto {
                *tail = Tail::ShiftInwards;
            }
            whole.retain(|dim| !vars.contains(dim));
        }
    }
}

fn extent(output: &Func, var: &str) -> Option<i128> {
    let dim = output.args.iter().position(|arg| arg == var)?;
    output.window.get(dim).map(|(_, extent)| *extent)
}

/// Returns the first coordinate and the number of coordinates of a dimension that a schedule may
/// fix.
pub(super) fn fixed(facts: &Facts, output: &Func, var: &str) -> Option<(i128, i128)> {
    let dim = output.args.iter().position(|arg| arg == var)?;
    let window = output.window.get(dim).copied().filter(|(_, extent)| *extent <= FEW);
    window.filter(|_| facts.may_demand && dim >= 2)
}

#[cfg(test)]
mod tests {
    use halidom_codegen::{Target, Toolchain};
    use halidom_driver::judge;
    use halidom_driver::source::{self, Choice};
    use halidom_ir::{Action, Schedule, Tail};

    use super::super::facts::Facts;
    use super::super::form::compile;
    use super::{fixed, move_inwards};

    const TEXT: &str = "\
pipeline p(input: buffer<u16, 3>) -> output: buffer<u16, 3> {
    func rows(x, y, c) = input(x, y, c) + input(x + 1, y, c);
    func output(x, y, c) = rows(x, y, c) + rows(x, y + 1, c);
}
schedule strips for p {
    output.split(y, yo, yi, 16).split(yi, ya, yb, 5).vectorize(x, 16, tail: guard);
    rows.compute_at(output, yo).vectorize(x, 16);
}
schedule tiles for p {
    output.tile(x, y, xo, yo, xi, yi, 32, 8).vectorize(xi, 16);
    rows.compute_at(output, xo).vectorize(x, 16);
}
schedule large for p { output.split(y, yo, yi, 64).vectorize(x, 32); }
";

    fn tails(action: &Action) -> Option<Tail> {
        if let Action::Split { tail, .. }
        | Action::Tile { tail, .. }
        | Action::Vectorize { tail, .. } = action
        {
            Some(*tail)
        } else {
            None
        }
    }

    #[test]
    fn blocks_that_fit_move_inwards_with_permission_alone() {
        let loaded = source::parse("p.hal", TEXT);
        let algorithm = loaded.module.pipelines[0].algorithm.clone();
        let windows = [vec![(0, 40), (0, 20), (0, 3)]];
        let facts = |may| {
            Facts::of(&loaded.module.pool, &algorithm, &Target::host()).sized(
                &algorithm.outputs,
                &windows,
                may,
            )
        };
        use Tail::{Auto, Guard, ShiftInwards};
        let expected = [
            // A part of a block, a stated tail and another func's vectors stay.
            vec![ShiftInwards, Auto, Guard, Auto],
            vec![ShiftInwards, Auto, Auto],
            // The output is smaller than one of the blocks.
            vec![Auto, ShiftInwards],
        ];
        for (number, expected) in expected.into_iter().enumerate() {
            let choice = Choice { pipeline: 0, schedule: Some(number) };
            let start = loaded.schedule_of(&choice).directives;
            let mut same = start.clone();
            move_inwards(&loaded.module.pool, &facts(false), &mut same);
            assert_eq!(same, start);
            let mut directives = start;
            move_inwards(&loaded.module.pool, &facts(true), &mut directives);
            let found: Vec<Tail> =
                directives.iter().filter_map(|found| tails(&found.action)).collect();
            assert_eq!(found, expected);
            let schedule = Schedule { name: "made".to_owned(), directives };
            let toolchain = Toolchain::find().unwrap();
            let built = compile(loaded.clone(), 0, Some(schedule), &toolchain).unwrap();
            let options = judge::Options::find().unwrap();
            assert!(built.judged(&options).is_proved());
        }
        let output = facts(true).funcs[1].clone();
        assert_eq!(fixed(&facts(true), &output, "c"), Some((0, 3)));
        assert_eq!(fixed(&facts(true), &output, "y"), None);
        assert_eq!(fixed(&facts(false), &output, "c"), None);
    }
}
