//! The part of JSON Schema (draft 2020-12) that the project's schema uses. A schema with an unknown
//! keyword is rejected, because such a keyword would check nothing.

use serde_json::Value;

/// A schema whose keywords are all known.
pub(crate) struct Schema {
    root: Value,
}

/// Keywords that only describe.
const WORDS: [&str; 5] = ["$schema", "$id", "$defs", "title", "description"];
/// Keywords with a check.
const CHECKED: [&str; 13] = [
    "$ref",
    "type",
    "const",
    "enum",
    "required",
    "properties",
    "additionalProperties",
    "minProperties",
    "items",
    "minItems",
    "minimum",
    "oneOf",
    "allOf",
];

impl Schema {
    /// Creates a schema. The error names an unknown keyword or a missing definition.
    pub(crate) fn new(root: Value) -> Result<Self, String> {
        let schema = Self { root };
        schema.known(&schema.root)?;
        Ok(schema)
    }

    fn known(&self, schema: &Value) -> Result<(), String> {
        let Value::Object(keywords) = schema else {
            return if schema.is_boolean() { Ok(()) } else { Err(format!("no schema: {schema}")) };
        };
        for (keyword, value) in keywords {
            match keyword.as_str() {
                "properties" | "$defs" => {
                    let inner = value.as_object().ok_or("no object of schemas")?;
                    inner.values().try_for_each(|inner| self.known(inner))?;
                }
                "oneOf" | "allOf" => {
                    let inner = value.as_array().ok_or("no list of schemas")?;
                    inner.iter().try_for_each(|inner| self.known(inner))?;
                }
                "items" | "additionalProperties" => self.known(value)?,
                "$ref" => drop(self.definition(value).ok_or(format!("no definition {value}"))?),
                known if WORDS.contains(&known) || CHECKED.contains(&known) => {}
                unknown => return Err(format!("the keyword `{unknown}` is not known")),
            }
        }
        Ok(())
    }

    fn definition(&self, reference: &Value) -> Option<&Value> {
        let name = reference.as_str()?.strip_prefix("#/$defs/")?;
        self.root.get("$defs")?.get(name)
    }

    /// Lists the errors of a value, with their places.
    pub(crate) fn errors(&self, value: &Value) -> Vec<String> {
        let mut errors = Vec::new();
        self.check(&self.root, value, "", &mut errors);
        errors
    }

    fn holds(&self, schema: &Value, value: &Value) -> bool {
        let mut errors = Vec::new();
        self.check(schema, value, "", &mut errors);
        errors.is_empty()
    }

    fn check(&self, schema: &Value, value: &Value, place: &str, errors: &mut Vec<String>) {
        let Value::Object(keywords) = schema else {
            if schema != &Value::Bool(true) {
                errors.push(format!("{place}: nothing may stand here"));
            }
            return;
        };
        let mut fail = |what: String| errors.push(format!("{place}: {what}"));
        let least = |keyword: &str, count: usize| {
            keywords.get(keyword).is_some_and(|least| least.as_u64() > Some(count as u64))
        };
        if keywords.get("const").is_some_and(|wanted| wanted != value) {
            fail(format!("{value} is not {}", keywords["const"]));
        }
        if keywords.get("enum").and_then(Value::as_array).is_some_and(|all| !all.contains(value)) {
            fail(format!("{value} is none of {}", keywords["enum"]));
        }
        if let Some(wanted) = keywords.get("type") {
            let all = wanted.as_array().map_or(std::slice::from_ref(wanted), Vec::as_slice);
            if !all.iter().any(|name| name.as_str().is_some_and(|name| is_of(name, value))) {
                fail(format!("{value} is no {wanted}"));
            }
        }
        if let (Some(least), Some(number)) =
            (keywords.get("minimum").and_then(Value::as_f64), value.as_f64())
            && number < least
        {
            fail(format!("{number} is below {least}"));
        }
        if let Some(object) = value.as_object() {
            for name in keywords.get("required").and_then(Value::as_array).into_iter().flatten() {
                if !name.as_str().is_some_and(|name| object.contains_key(name)) {
                    fail(format!("{name} is missing"));
                }
            }
            if least("minProperties", object.len()) {
                fail("it has too few members".to_owned());
            }
        }
        if value.as_array().is_some_and(|items| least("minItems", items.len())) {
            fail("it has too few items".to_owned());
        }
        if let Some(inner) = keywords.get("$ref").and_then(|name| self.definition(name)) {
            self.check(inner, value, place, errors);
        }
        for inner in keywords.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.check(inner, value, place, errors);
        }
        if let Some(all) = keywords.get("oneOf").and_then(Value::as_array) {
            let count = all.iter().filter(|inner| self.holds(inner, value)).count();
            if count != 1 {
                errors.push(format!("{place}: it is of {count} of the forms, and not of one"));
            }
        }
        for (name, member) in value.as_object().into_iter().flatten() {
            let known = keywords.get("properties").and_then(|all| all.get(name));
            if let Some(inner) = known.or(keywords.get("additionalProperties")) {
                self.check(inner, member, &format!("{place}/{name}"), errors);
            }
        }
        if let Some(inner) = keywords.get("items") {
            for (number, item) in value.as_array().into_iter().flatten().enumerate() {
                self.check(inner, item, &format!("{place}/{number}"), errors);
            }
        }
    }
}

fn is_of(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        _ => false,
    }
}
