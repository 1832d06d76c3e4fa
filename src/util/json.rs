//! JSON as a value, without keys that an object has twice.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// The beginning of the message about a key that an object has twice.
pub const TWICE: &str = "duplicate field ";

/// A value in which no object has a key twice.
pub struct Document(pub Value);

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Document(Value::Null))
    }
}

impl<'de> Visitor<'de> for Document {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of JSON")
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(Self(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self, E> {
        Ok(Self(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self, E> {
        Ok(Self(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self, E> {
        Ok(Self(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self, E> {
        Ok(Self(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Self, E> {
        Ok(Self(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        let mut list = Vec::new();
        while let Some(Self(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Self(list.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self, A::Error> {
        let mut object = Map::new();
        while let Some((key, Self(value))) = members.next_entry::<String, Self>()? {
            if object.contains_key(&key) {
                return Err(A::Error::custom(format_args!("{TWICE}`{key}`")));
            }
            object.insert(key, value);
        }
        Ok(Self(object.into()))
    }
}
