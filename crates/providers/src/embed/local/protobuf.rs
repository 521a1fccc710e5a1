//! Enough of Protocol Buffers to read a message: its fields, one after the other.
//!
//! Nothing is copied, and what does not fit is the end of the message.

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value<'a> {
    /// A number.
    Number(u64),
    /// Four bytes.
    Four([u8; 4]),
    /// A text, bytes, a message inside, or numbers one after the other.
    Bytes(&'a [u8]),
}

impl<'a> Value<'a> {
    /// The bytes; none if it is a number.
    pub(super) fn bytes(self) -> &'a [u8] {
        match self {
            Value::Bytes(bytes) => bytes,
            _ => &[],
        }
    }

    /// The text; none if it is not one.
    pub(super) fn text(self) -> &'a str {
        std::str::from_utf8(self.bytes()).unwrap_or_default()
    }

    /// One number, or several one after the other.
    pub(super) fn numbers(self) -> Vec<u64> {
        match self {
            Value::Number(number) => vec![number],
            Value::Four(_) => Vec::new(),
            Value::Bytes(mut bytes) => std::iter::from_fn(|| varint(&mut bytes)).collect(),
        }
    }
}

/// The fields of a message with their numbers; `Err` stands where it breaks off.
pub(super) fn fields(mut message: &[u8]) -> impl Iterator<Item = Result<(u64, Value<'_>), Broken>> {
    std::iter::from_fn(move || {
        if message.is_empty() {
            return None;
        }
        let field = field(&mut message).ok_or(Broken);
        if field.is_err() {
            message = &[];
        }
        Some(field)
    })
}

/// The message breaks off or is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Broken;

fn field<'a>(message: &mut &'a [u8]) -> Option<(u64, Value<'a>)> {
    let key = varint(message)?;
    let value = match key & 7 {
        0 => Value::Number(varint(message)?),
        // Eight bytes: nothing that is read here has them, but they are bytes.
        1 => Value::Bytes(message.split_off(..8)?),
        2 => {
            let length = usize::try_from(varint(message)?).ok()?;
            Value::Bytes(message.split_off(..length)?)
        }
        5 => Value::Four(*message.split_off(..4)?.first_chunk()?),
        _ => return None,
    };
    Some((key >> 3, value))
}

/// A number of up to ten bytes, seven bits in each.
fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.split_off_first()?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_up_to_where_they_break_off() {
        let message = [0x08, 0x96, 0x01, 0x12, 2, b'h', b'i', 0x1d, 0, 0, 0x80, 0x3f, 0x12, 9, 1];
        let fields: Vec<_> = fields(&message).collect();
        assert_eq!(fields[0], Ok((1, Value::Number(150))));
        assert_eq!(fields[1].unwrap().1.text(), "hi");
        assert_eq!(fields[2], Ok((3, Value::Four(1.0_f32.to_le_bytes()))));
        assert_eq!(fields[3..], [Err(Broken)]);
        assert_eq!(Value::Bytes(&[1, 0x96, 1]).numbers(), [1, 150]);
        assert_eq!(super::fields(&[0xff; 20]).collect::<Vec<_>>(), [Err(Broken)]);
    }
}
