//! Bounded types that enforce what they advertise. Lengths count characters, not bytes.

use std::borrow::Cow;

use model::{MemoryId, Timestamp, time};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// A text of `MIN` to `MAX` characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text<const MIN: usize, const MAX: usize>(pub(crate) String);

impl<'de, const MIN: usize, const MAX: usize> Deserialize<'de> for Text<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if (MIN..=MAX).contains(&text.chars().count()) {
            Ok(Self(text))
        } else {
            Err(D::Error::custom("length"))
        }
    }
}

impl<const MIN: usize, const MAX: usize> JsonSchema for Text<MIN, MAX> {
    fn schema_name() -> Cow<'static, str> {
        format!("Text_{MIN}_{MAX}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut schema = json_schema!({"type": "string"});
        if MIN > 0 {
            schema.insert("minLength".into(), MIN.into());
        }
        schema.insert("maxLength".into(), MAX.into());
        schema
    }
}

/// At most `MAX` texts of `MIN` to `CHARS` characters each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Texts<const MIN: usize, const CHARS: usize, const MAX: usize>(
    pub(crate) Vec<String>,
);

impl<'de, const MIN: usize, const CHARS: usize, const MAX: usize> Deserialize<'de>
    for Texts<MIN, CHARS, MAX>
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let texts = Vec::<Text<MIN, CHARS>>::deserialize(deserializer)?;
        if texts.len() > MAX {
            return Err(D::Error::custom("length"));
        }
        Ok(Self(texts.into_iter().map(|text| text.0).collect()))
    }
}

impl<const MIN: usize, const CHARS: usize, const MAX: usize> JsonSchema for Texts<MIN, CHARS, MAX> {
    fn schema_name() -> Cow<'static, str> {
        format!("Texts_{MIN}_{CHARS}_{MAX}").into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let items = Text::<MIN, CHARS>::json_schema(generator);
        json_schema!({"type": "array", "items": items, "maxItems": MAX})
    }
}

/// `MIN` to `MAX` of something. None at all passes, so that a tool can say that it is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct List<T, const MIN: usize, const MAX: usize>(pub(crate) Vec<T>);

impl<'de, T: Deserialize<'de>, const MIN: usize, const MAX: usize> Deserialize<'de>
    for List<T, MIN, MAX>
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let list = Vec::<T>::deserialize(deserializer)?;
        let fits = list.is_empty() || (MIN..=MAX).contains(&list.len());
        if fits { Ok(Self(list)) } else { Err(D::Error::custom("length")) }
    }
}

impl<T: JsonSchema, const MIN: usize, const MAX: usize> JsonSchema for List<T, MIN, MAX> {
    fn schema_name() -> Cow<'static, str> {
        format!("List_{}_{MIN}_{MAX}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let items = T::json_schema(generator);
        json_schema!({"type": "array", "items": items, "minItems": MIN, "maxItems": MAX})
    }
}

/// A whole number from `MIN` to `MAX`; absent, it is `DEFAULT`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Int<const MIN: u64, const MAX: u64, const DEFAULT: u64>(pub(crate) u64);

/// Beyond this a number in JSON is not exact everywhere.
pub(crate) const INT_MAX: u64 = (1 << 53) - 1;

impl<const MIN: u64, const MAX: u64, const DEFAULT: u64> Default for Int<MIN, MAX, DEFAULT> {
    fn default() -> Self {
        Self(DEFAULT)
    }
}

impl<'de, const MIN: u64, const MAX: u64, const DEFAULT: u64> Deserialize<'de>
    for Int<MIN, MAX, DEFAULT>
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = u64::deserialize(deserializer)?;
        if (MIN..=MAX).contains(&value) { Ok(Self(value)) } else { Err(D::Error::custom("range")) }
    }
}

impl<const MIN: u64, const MAX: u64, const DEFAULT: u64> Serialize for Int<MIN, MAX, DEFAULT> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

impl<const MIN: u64, const MAX: u64, const DEFAULT: u64> JsonSchema for Int<MIN, MAX, DEFAULT> {
    fn schema_name() -> Cow<'static, str> {
        format!("Int_{MIN}_{MAX}_{DEFAULT}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut schema = json_schema!({"type": "integer", "minimum": MIN});
        if MAX < INT_MAX {
            schema.insert("maximum".into(), MAX.into());
        }
        schema
    }
}

/// A number from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Fraction(pub(crate) f64);

impl<'de> Deserialize<'de> for Fraction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = f64::deserialize(deserializer)?;
        if (0.0..=1.0).contains(&value) { Ok(Self(value)) } else { Err(D::Error::custom("range")) }
    }
}

impl JsonSchema for Fraction {
    fn schema_name() -> Cow<'static, str> {
        "Fraction".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "number", "minimum": 0, "maximum": 1})
    }
}

/// A time: RFC 3339 in UTC.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct DateTime(String);

impl From<Timestamp> for DateTime {
    fn from(at: Timestamp) -> Self {
        Self(time::rfc3339(at))
    }
}

impl JsonSchema for DateTime {
    fn schema_name() -> Cow<'static, str> {
        "DateTime".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "format": "date-time"})
    }
}

/// Free data: any JSON object of at most `MAX` characters.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Object<const MAX: usize>(pub(crate) Map<String, Value>);

impl<'de, const MAX: usize> Deserialize<'de> for Object<MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let object = Map::<String, Value>::deserialize(deserializer)?;
        let length = Value::Object(object.clone()).to_string().chars().count();
        if length <= MAX {
            Ok(Self(object))
        } else {
            Err(D::Error::custom(format!("takes an object of at most {MAX} characters of JSON")))
        }
    }
}

impl<const MAX: usize> JsonSchema for Object<MAX> {
    fn schema_name() -> Cow<'static, str> {
        "Object".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "object", "additionalProperties": true})
    }
}

/// A memory's id in one of its spellings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Id(pub(crate) MemoryId);

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(Self).map_err(|_| D::Error::custom("id"))
    }
}

impl JsonSchema for Id {
    fn schema_name() -> Cow<'static, str> {
        "Id".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        // Wider than what is taken, because a model pays for every character of it.
        json_schema!({"type": "string", "pattern": "^(mem_)?[a-f0-9-]{32,36}$"})
    }
}
