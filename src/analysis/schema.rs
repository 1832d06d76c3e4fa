//! The JSON schema of requests and answers.

/// The schema as a JSON text: `emilia analyze --schema`.
pub const SCHEMA: &str = include_str!("schema.json");

/// Holds JSON values to the schema.
#[cfg(test)]
pub mod testing {
    use serde_json::Value;

    use super::SCHEMA;

    /// What `value` breaks of the definition `name`; `None` if nothing.
    pub fn breach(name: &str, value: &Value) -> Option<String> {
        let root: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
        let schema = &root["$defs"][name];
        assert!(schema.is_object(), "no definition {name}");
        check(&root, schema, value, name)
    }

    /// The keywords that the schema uses; any other is an error of the schema.
    fn check(root: &Value, schema: &Value, value: &Value, at: &str) -> Option<String> {
        let object = schema.as_object().expect("a schema is an object");
        object.iter().find_map(|(keyword, argument)| {
            let holds = match keyword.as_str() {
                "description" | "additionalProperties" | "default" => true,
                "$ref" => {
                    let name = argument.as_str()?.strip_prefix("#/$defs/").expect("references are local");
                    return check(root, &root["$defs"][name], value, at);
                }
                "type" => is_of_type(argument.as_str()?, value),
                "enum" => argument.as_array()?.contains(value),
                "minimum" => value.as_f64().is_none_or(|number| number >= argument.as_f64().unwrap()),
                "maximum" => value.as_f64().is_none_or(|number| number <= argument.as_f64().unwrap()),
                "pattern" => {
                    value.as_str().is_none_or(|text| matches_pattern(argument.as_str().unwrap(), text))
                }
                "required" => {
                    argument.as_array()?.iter().all(|name| value.get(name.as_str().unwrap()).is_some())
                }
                "oneOf" => {
                    let fits = |part: &&Value| check(root, part, value, at).is_none();
                    argument.as_array()?.iter().filter(fits).count() == 1
                }
                "items" => {
                    return value
                        .as_array()?
                        .iter()
                        .find_map(|item| check(root, argument, item, &format!("{at}[]")));
                }
                "properties" => {
                    return value.as_object()?.iter().find_map(|(name, field)| match argument.get(name) {
                        Some(part) => check(root, part, field, &format!("{at}.{name}")),
                        None if object.get("additionalProperties") == Some(&Value::Bool(false)) => {
                            Some(format!("{at}.{name} is not in the schema"))
                        }
                        None => None,
                    });
                }
                other => panic!("the checker does not know {other}"),
            };
            (!holds).then(|| format!("{at}: {keyword} {argument} does not hold of {value}"))
        })
    }

    fn is_of_type(name: &str, value: &Value) -> bool {
        match name {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            "boolean" => value.is_boolean(),
            "null" => value.is_null(),
            other => panic!("the checker does not know the type {other}"),
        }
    }

    /// The two patterns of the schema, by hand.
    fn matches_pattern(pattern: &str, text: &str) -> bool {
        match pattern {
            "^([a-h][1-8]|pa)$" => {
                text == "pa"
                    || matches!(text.as_bytes(), [file, rank] if (b'a'..=b'h').contains(file) && (b'1'..=b'8').contains(rank))
            }
            "^[-XO]{64} [XO]$" => {
                let (board, side) = text.split_once(' ').unwrap_or_default();
                board.len() == 64 && board.chars().all(|c| "-XO".contains(c)) && (side == "X" || side == "O")
            }
            "^[0-9a-f]{8}$" => {
                text.len() == 8 && text.bytes().all(|byte| b"0123456789abcdef".contains(&byte))
            }
            other => panic!("the checker does not know the pattern {other}"),
        }
    }

    /// What a field may be, in words.
    fn type_of(root: &Value, field: &Value) -> String {
        let each = |list: &Value, between: &str, word: &dyn Fn(&Value) -> String| -> String {
            list.as_array().expect("a list").iter().map(word).collect::<Vec<_>>().join(between)
        };
        if let Some(name) = field["$ref"].as_str() {
            let name = name.rsplit('/').next().expect("a name");
            return if name == "move" { name.to_owned() } else { type_of(root, &root["$defs"][name]) };
        }
        if field["enum"].is_array() {
            let word =
                |value: &Value| if value.is_number() { value.to_string() } else { format!("`{value}`") };
            return each(&field["enum"], ", ", &word);
        }
        match field["type"].as_str() {
            None => each(&field["oneOf"], " or ", &|part| type_of(root, part)),
            Some("array") => format!("list of {}", type_of(root, &field["items"])),
            Some(name) => match (&field["minimum"], &field["maximum"]) {
                (Value::Null, Value::Null) => name.to_owned(),
                (low, Value::Null) => format!("{name}, from {low}"),
                (Value::Null, high) => format!("{name}, to {high}"),
                (low, high) => format!("{name}, {low} to {high}"),
            },
        }
    }

    /// The fields of the definition `name` as a table of the page.
    fn table(root: &Value, name: &str) -> String {
        let object = &root["$defs"][name];
        let mut fields: Vec<String> =
            object["properties"].as_object().expect("fields").keys().cloned().collect();
        // Maps are sorted: the order is that of the text.
        let text = SCHEMA.split_once(&format!("\n    \"{name}\": {{")).expect("it is in the text").1;
        fields.sort_by_key(|field| {
            text.find(&format!("\n        \"{field}\": {{")).expect("it is in the text")
        });
        let names = |list: &Value| -> Vec<String> {
            list.as_array()
                .into_iter()
                .flatten()
                .map(|name| name.as_str().expect("a name").to_owned())
                .collect()
        };
        let always = names(&object["required"]);
        let choices: Vec<String> = object["oneOf"]
            .as_array()
            .into_iter()
            .flatten()
            .flat_map(|part| names(&part["required"]))
            .collect();
        let has_defaults = fields.iter().any(|field| !object["properties"][field]["default"].is_null());
        let cell = if has_defaults { ["default | ", "---|"] } else { ["", ""] };
        let mut text =
            format!("| field | type | required | {}meaning |\n|---|---|---|{}---|\n", cell[0], cell[1]);
        for name in fields {
            let field = &object["properties"][&name];
            let mut meaning = field;
            while meaning["description"].is_null() {
                let target = meaning["$ref"].as_str().unwrap_or_else(|| panic!("{name} has no description"));
                meaning = &root["$defs"][target.rsplit('/').next().expect("a name")];
            }
            let required = match () {
                () if always.contains(&name) => "yes",
                () if choices.contains(&name) => "one of",
                () => "",
            };
            let default = match &field["default"] {
                _ if !has_defaults => String::new(),
                Value::Null => " | ".to_owned(),
                Value::String(words) => format!("{words} | "),
                value => format!("{value} | "),
            };
            let (kind, meaning) = (type_of(root, field), meaning["description"].as_str().expect("words"));
            text.push_str(&format!("| `{name}` | {kind} | {required} | {default}{meaning} |\n"));
        }
        text
    }

    #[test]
    fn the_page_has_every_field() {
        let root: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
        let objects = root["$defs"].as_object().expect("definitions");
        let mut count = 0;
        for name in
            objects.iter().filter(|(_, object)| object["properties"].is_object()).map(|(name, _)| name)
        {
            let table = table(&root, name);
            assert!(
                super::super::PAGE.contains(&table),
                "src/analysis/README.md is to have this of {name}:\n{table}"
            );
            count += 1;
        }
        assert!(count >= 12);
    }

    #[test]
    fn the_checker_can_fail() {
        let failure = serde_json::json!({"id": null, "line": 1, "error": "x"});
        assert_eq!(breach("answer", &failure), None);
        for (field, value) in
            [("line", 0.into()), ("line", "1".into()), ("other", 1.into()), ("id", 1.5.into())]
        {
            let mut broken = failure.clone();
            broken[field] = value;
            assert!(breach("answer", &broken).is_some(), "{broken}");
        }
        assert!(breach("answer", &serde_json::json!({"id": null, "line": 1})).is_some());
        assert!(breach("move", &"i9".into()).is_some());
        assert!(breach("request", &serde_json::json!({"id": "a"})).is_some());
    }
}
