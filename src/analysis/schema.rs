//! The JSON schema of requests, answers and summaries, derived from their structs.

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::answer::{Answer, SCHEMA_VERSION};
use super::line::RequestLine;
use super::short::{ALWAYS, FIELDS, SCORES};
use super::summary::Summary;

/// The schema: `emilia help schema`.
pub fn schema() -> Value {
    let settings = SchemaSettings::draft2020_12();
    let mut reading = settings.clone().for_deserialize().into_generator();
    let request = reading.subschema_for::<RequestLine>();
    let mut writing = settings.for_serialize().into_generator();
    let answer = writing.subschema_for::<Answer>();
    let summary = writing.subschema_for::<Summary>();
    let mut definitions = reading.take_definitions(true);
    definitions.extend(writing.take_definitions(true));
    definitions.insert("ShortAnswer".to_owned(), short(&definitions));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "emilia analyze: one JSON object per line",
        "description": "Input lines are requests, output lines answers, short ones with --fields; a summary is a file.",
        "schema_version": SCHEMA_VERSION,
        "anyOf": [request, answer, { "$ref": "#/$defs/ShortAnswer" }, summary],
        "$defs": definitions,
    })
}

/// The schema of an answer with `--fields`.
fn short(definitions: &Map<String, Value>) -> Value {
    let mut fields = definitions["Judged"]["properties"]
        .as_object()
        .expect("an object")
        .clone();
    fields.extend(
        definitions["Answer"]["properties"]
            .as_object()
            .expect("an object")
            .clone(),
    );
    fields.insert(
        "best".to_owned(),
        json!({ "description": "The best move; absent when the game is over.", "$ref": "#/$defs/Move" }),
    );
    fields.insert(
        "pv".to_owned(),
        json!({ "description": "The expected line as one word: `f5d6c3`.", "type": "string" }),
    );
    fields.insert(
        "played".to_owned(),
        json!({ "description": "The next move of the game.", "$ref": "#/$defs/Move" }),
    );
    fields.insert(
        "loss".to_owned(),
        definitions["PlayedMove"]["properties"]["loss"].clone(),
    );
    fields.retain(|name, _| {
        let is = |field: &&str| **field == *name;
        ALWAYS.iter().chain(&SCORES).any(is) || FIELDS.split(' ').any(|field| field == name)
    });
    json!({
        "description": "A position judged, in short.",
        "type": "object",
        "properties": fields,
        "required": ["id"],
        "unevaluatedProperties": false,
    })
}

/// Checks JSON values against the schema.
#[cfg(test)]
pub mod testing {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::super::PAGE;
    use super::schema;

    /// The first rule of the definition `name` that `value` breaks.
    pub fn breach(name: &str, value: &Value) -> Option<String> {
        let root = schema();
        let definition = &root["$defs"][name];
        assert!(definition.is_object(), "no definition {name}");
        check(&root, definition, value, name)
    }

    fn target<'a>(root: &'a Value, reference: &Value) -> &'a Value {
        let name = reference
            .as_str()
            .and_then(|path| path.strip_prefix("#/$defs/"));
        &root["$defs"][name.expect("references are local")]
    }

    fn list(argument: &Value) -> &[Value] {
        argument
            .as_array()
            .map_or(std::slice::from_ref(argument), Vec::as_slice)
    }

    fn check(root: &Value, schema: &Value, value: &Value, at: &str) -> Option<String> {
        let rules = schema.as_object().expect("a schema is an object");
        rules.iter().find_map(|(keyword, argument)| {
            let fits = |part: &Value| check(root, part, value, at).is_none();
            let within = |holds: fn(&f64, &f64) -> bool| {
                value
                    .as_f64()
                    .is_none_or(|number| holds(&number, &argument.as_f64().expect("a number")))
            };
            let has = |name: &Value| value.get(name.as_str().expect("a name")).is_some();

            let holds = match keyword.as_str() {
                "description" | "default" | "format" => true,
                "$ref" => fits(target(root, argument)),
                "type" => list(argument)
                    .iter()
                    .any(|name| is_of_type(name.as_str().expect("a name"), value)),
                "enum" => list(argument).contains(value),
                "const" => argument == value,
                "minimum" => within(f64::ge),
                "maximum" => within(f64::le),
                "pattern" => value
                    .as_str()
                    .is_none_or(|text| matches_pattern(argument, text)),
                "required" => list(argument).iter().all(has),
                "oneOf" => list(argument).iter().filter(|part| fits(part)).count() == 1,
                "anyOf" => list(argument).iter().any(fits),
                "items" => {
                    return value
                        .as_array()?
                        .iter()
                        .find_map(|item| check(root, argument, item, at));
                }
                "properties" => {
                    let part = |(name, field): (&String, &Value)| {
                        check(root, argument.get(name)?, field, &format!("{at}.{name}"))
                    };
                    return value.as_object()?.iter().find_map(part);
                }
                "unevaluatedProperties" => {
                    let names = fields(root, schema);
                    value
                        .as_object()?
                        .keys()
                        .all(|name| names.contains(name.as_str()))
                }
                other => panic!("the checker does not know {other}"),
            };
            (!holds).then(|| format!("{at}: {keyword} {argument} does not hold of {value}"))
        })
    }

    /// All fields of a definition, those of its parts included.
    fn fields<'a>(root: &'a Value, schema: &'a Value) -> BTreeSet<&'a str> {
        let own = schema["properties"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| name.as_str());
        let parts = [&schema["anyOf"], &schema["oneOf"]]
            .into_iter()
            .filter_map(Value::as_array)
            .flatten();
        let of = |part| fields(root, part);
        let referred = schema
            .get("$ref")
            .map(|reference| of(target(root, reference)));
        own.chain(parts.flat_map(of))
            .chain(referred.into_iter().flatten())
            .collect()
    }

    fn is_of_type(name: &str, value: &Value) -> bool {
        match value {
            Value::Null => name == "null",
            Value::Bool(_) => name == "boolean",
            Value::Number(number) => name == "number" || name == "integer" && !number.is_f64(),
            Value::String(_) => name == "string",
            Value::Array(_) => name == "array",
            Value::Object(_) => name == "object",
        }
    }

    /// The two patterns of the schema, by the parsers that read such texts.
    fn matches_pattern(pattern: &Value, text: &str) -> bool {
        use crate::notation::{diagram, moves};
        match pattern.as_str() {
            Some("^([a-h][1-8]|pa)$") => {
                moves::parse_move(text).is_ok_and(|mv| mv.to_string() == text)
            }
            Some("^[-XO]{64} [XO]$") => diagram::parse_board(text)
                .is_ok_and(|position| diagram::write_board(&position) == text),
            other => panic!("the checker does not know the pattern {other:?}"),
        }
    }

    #[test]
    fn the_page_has_every_field() {
        let root = schema();
        let objects = root["$defs"].as_object().expect("definitions").iter();
        let all = objects
            .flat_map(|(_, object)| object["properties"].as_object())
            .flatten();
        let row = |name: &str, meaning: &str| (format!("| `{name}` | "), format!(" | {meaning} |"));
        let rows: BTreeSet<(String, String)> = all
            .map(|(name, field)| row(name, field["description"].as_str().expect(name)))
            .collect();
        let is_row = |line: &&str, (begin, end): &(String, String)| {
            line.starts_with(begin) && line.ends_with(end)
        };
        let missing: Vec<_> = rows
            .iter()
            .filter(|row| !PAGE.lines().any(|line| is_row(&line, row)))
            .collect();
        assert!(
            missing.is_empty(),
            "src/analysis/README.md is to have these rows: {missing:#?}"
        );
        let on_page = PAGE
            .lines()
            .filter(|line| line.matches(" | ").count() == 3 && line.contains("` | "));
        let wrong: Vec<&str> = on_page
            .filter(|line| !rows.iter().any(|row| is_row(line, row)))
            .collect();
        assert!(
            wrong.is_empty(),
            "the schema has other rows than {wrong:#?}"
        );
    }

    #[test]
    fn the_checker_can_fail() {
        let failure = serde_json::json!({"id": null, "line": 1, "error": "x"});
        assert_eq!(breach("Answer", &failure), None);
        for (field, value) in [
            ("line", (-1).into()),
            ("line", "1".into()),
            ("other", 1.into()),
            ("id", 1.5.into()),
        ] {
            let mut broken = failure.clone();
            broken[field] = value;
            assert!(breach("Answer", &broken).is_some(), "{broken}");
        }
        assert!(breach("Answer", &serde_json::json!({"id": null, "line": 1})).is_some());
        assert!(breach("Move", &"i9".into()).is_some());
        assert!(breach("Request", &serde_json::json!({"id": "a"})).is_some());
    }
}
