//! Tuple-valued funcs. Their updates mix the components, so it is noticed if one component is
//! written before another is read.

use super::{Maker, Site, TYPES};

impl Maker<'_> {
    /// Returns the types of a func's components.
    pub(super) fn types(&mut self, is_output: bool) -> Vec<&'static str> {
        let mut types = vec![self.pick(&TYPES, "u8")];
        if self.tuples && !is_output && self.random.chance(70) {
            for _ in 0..=usize::from(self.random.chance(20)) {
                types.push(self.pick(&TYPES, "i32"));
            }
        }
        types
    }

    /// Returns the written type of a func: `u8`, or `(u8, i16)`.
    pub(super) fn annotation(types: &[&str]) -> String {
        if let [ty] = types { (*ty).to_owned() } else { format!("({})", types.join(", ")) }
    }

    /// Returns values of these types.
    pub(super) fn tuple_value(
        &mut self,
        site: &Site,
        types: &[&'static str],
        depth: usize,
    ) -> String {
        let values: Vec<String> = types
            .iter()
            .map(|ty| if depth == 0 { self.literal(ty) } else { self.value(site, ty, depth) })
            .collect();
        if let [value] = &values[..] { value.clone() } else { format!("({})", values.join(", ")) }
    }

    /// Returns `name(lhs) = (…)`, in which every component depends on a component of `name(read)`
    /// and on other values.
    pub(super) fn tuple_update(
        &mut self,
        name: &str,
        inner: &Site,
        types: &[&'static str],
        (lhs, read): (&str, &str),
    ) -> String {
        if self.random.chance(20) {
            let condition = self.condition(inner);
            let values = self.tuple_value(inner, types, 1);
            return format!("{name}({lhs}) = select({condition}, {values}, {name}({read}));");
        }
        if lhs == read && self.random.chance(40) {
            return self.componentwise(name, inner, types, lhs);
        }
        let mut values = Vec::with_capacity(types.len());
        for ty in types {
            let component = self.random.below(types.len());
            let own = format!("{name}({read}).{component}");
            let own = if types[component] == *ty { own } else { format!("{ty}({own})") };
            let value = self.value(inner, ty, 1);
            values.push(match self.random.below(5) {
                0 => own,
                1 => format!("max({own}, {value})"),
                2 => format!("({value} - {own})"),
                _ => format!("({own} + {value})"),
            });
        }
        format!("{name}({lhs}) = ({});", values.join(", "))
    }

    /// Returns `name(lhs) = (…)`, in which every component is combined with its own value by an
    /// associative operator, as `rfactor` requires.
    fn componentwise(
        &mut self,
        name: &str,
        inner: &Site,
        types: &[&'static str],
        lhs: &str,
    ) -> String {
        let mut values = Vec::with_capacity(types.len());
        for (component, ty) in types.iter().enumerate() {
            let own = format!("{name}({lhs}).{component}");
            let value = self.value(inner, ty, 1);
            let is_float = matches!(*ty, "f32" | "f64");
            values.push(if !is_float && self.random.chance(60) {
                format!("({own} + {value})")
            } else {
                format!("{}({own}, {value})", self.pick(&["min", "max"], "min"))
            });
        }
        format!("{name}({lhs}) = ({});", values.join(", "))
    }
}
