//! The paths from the outermost expression of a rule to its parts, by counts of lanes. What a path
//! means is in `meaning`.

use super::kinds::Kind;
use super::meaning::{Builder, Part, Result, Step, between};
use super::pattern::{Op, Pattern};
use super::value::{Domain, Fun, ValueId};

impl Builder<'_> {
    /// Reads equations between counts from a predicate.
    pub(super) fn relate_counts(&mut self, predicate: &Pattern) {
        let Pattern::Apply(op, parts) = predicate else { return };
        match (op, parts.as_slice()) {
            (Op::And, [a, b]) => {
                self.relate_counts(a);
                self.relate_counts(b);
            }
            (Op::Eq, [Pattern::Apply(Op::Mod, parts), Pattern::Int(0)]) => {
                if let [whole, part] = parts.as_slice()
                    && let (Some(whole), Some(part)) =
                        (self.count_name(whole), self.count_name(part))
                    && whole != part
                {
                    let quotient = format!("{whole}/{part}");
                    self.factors.push((whole, vec![part, quotient]));
                }
            }
            (Op::Eq, [a, b]) => {
                for (whole, product) in [(a, b), (b, a)] {
                    if let Pattern::Apply(Op::Mul, parts) = product
                        && let [lhs, rhs] = parts.as_slice()
                        && let (Some(whole), Some(lhs), Some(rhs)) =
                            (self.count_name(whole), self.count_name(lhs), self.count_name(rhs))
                    {
                        self.factors.push((whole, vec![lhs, rhs]));
                    }
                }
            }
            _ => {}
        }
    }

    fn count_name(&mut self, pattern: &Pattern) -> Option<String> {
        let (Pattern::Constant(name) | Pattern::Lanes(name)) = pattern else { return None };
        let kind = self.kinds.infer(pattern).ok()?;
        (self.kinds.resolve(kind) == Kind::Lanes).then(|| name.clone())
    }

    /// Returns a count as factors, sorted.
    fn count(&self, pattern: &Pattern) -> Vec<String> {
        let mut factors = match pattern {
            Pattern::Int(1) => Vec::new(),
            Pattern::Constant(name) | Pattern::Lanes(name) => {
                match self.factors.iter().find(|(whole, _)| whole == name) {
                    Some((_, factors)) => factors.clone(),
                    None => vec![name.clone()],
                }
            }
            Pattern::Apply(Op::Fold, parts) => self.count(&parts[0]),
            Pattern::Apply(Op::Mul, parts) => {
                [self.count(&parts[0]), self.count(&parts[1])].concat()
            }
            Pattern::Apply(Op::Div, parts) => {
                let (mut whole, divisor) = (self.count(&parts[0]), self.count(&parts[1]));
                let all = divisor.iter().all(|factor| {
                    let place = whole.iter().position(|other| other == factor);
                    place.map(|place| whole.remove(place)).is_some()
                });
                if all { whole } else { vec![pattern.to_string()] }
            }
            other => vec![other.to_string()],
        };
        factors.sort();
        factors
    }

    pub(super) fn down(way: &[Step], step: Step) -> Vec<Step> {
        let mut way = way.to_vec();
        match (way.last_mut(), step) {
            (_, Step::Drop(count)) if count.is_empty() => {}
            (Some(Step::Drop(last)), Step::Drop(count)) => {
                last.extend(count);
                last.sort();
            }
            (_, step) => way.push(step),
        }
        way
    }

    pub(super) fn count_of(&self, operands: &[Pattern], index: usize) -> Vec<String> {
        match operands.get(index) {
            Some(count) => self.count(count),
            None => vec!["lanes".to_owned()],
        }
    }

    /// Returns a lane of a ramp.
    pub(super) fn ramp(
        &mut self,
        operands: &[Pattern],
        way: &[Step],
        domain: Domain,
    ) -> Result<ValueId> {
        let count = self.count_of(operands, 2);
        let lane = format!("lane[{}]{way:?}", count.join("*"));
        let inner = Self::down(way, Step::Drop(count.clone()));
        let base = self.value(&operands[0], &inner, domain)?;
        let stride = self.value(&operands[1], &inner, domain)?;
        let lane = self.values.var(&lane, domain);
        self.bound_lane(lane, &count, domain);
        let offset = self.values.apply(Fun::Mul, &[lane, stride]);
        Ok(self.values.apply(Fun::Add, &[base, offset]))
    }

    /// Bounds a lane by the count. Where arithmetic wraps there is no such bound, and only the
    /// first two lanes are tried.
    fn bound_lane(&mut self, lane: ValueId, count: &[String], domain: Domain) {
        if domain.wraps() {
            let facts = between(&mut self.values, lane, 0, 1);
            self.tried.extend(facts);
            return;
        }
        let zero = self.values.number(0, domain);
        let below = self.values.apply(Fun::Lt, &[lane, zero]);
        let at_least = self.values.apply(Fun::Not, &[below]);
        self.facts.push(at_least);
        let factors: Vec<ValueId> =
            count.iter().map(|name| self.values.var(name, domain)).collect();
        let mut product = self.values.number(1, domain);
        for factor in factors {
            product = self.values.apply(Fun::Mul, &[product, factor]);
        }
        let one = self.values.number(1, domain);
        let last = self.values.apply(Fun::Sub, &[product, one]);
        let above = self.values.apply(Fun::Lt, &[last, lane]);
        let at_most = self.values.apply(Fun::Not, &[above]);
        self.facts.push(at_most);
    }

    /// Returns the path to a wildcard. In a condition, a wildcard stands for the value that the
    /// left side matched.
    pub(super) fn way_of(&mut self, name: &str, way: &[Step]) -> Vec<Step> {
        match self.part {
            Part::Left => {
                let place = (name.to_owned(), way.to_vec());
                if !self.ways.contains(&place) {
                    self.ways.push(place);
                }
                way.to_vec()
            }
            Part::Right => way.to_vec(),
            Part::Condition | Part::Host | Part::Proved => {
                let mut ways = self.ways.iter().filter(|(known, _)| known == name);
                match (ways.next(), ways.next()) {
                    (Some((_, only)), None) if way.is_empty() => only.clone(),
                    _ => way.to_vec(),
                }
            }
        }
    }
}
