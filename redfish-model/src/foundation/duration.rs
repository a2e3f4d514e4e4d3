//! Lengths of time.
//!
//! Redfish writes them as ISO 8601 text. As with [`DateTimeOffset`](super::DateTimeOffset) the text is kept, since one
//! length has many texts (`PT60S`, `PT1M`) and a service should get back the one that it sent.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A length of time as text (DSP0266, *Duration values*): days, hours, minutes and seconds, such as `P1DT2H3M4.5S`.
///
/// ```
/// use redfish_model::Duration;
///
/// let timeout = Duration::from("PT1M30S");
/// assert_eq!(timeout.to_std(), Some(std::time::Duration::from_secs(90)));
/// assert_eq!(Duration::from_std(std::time::Duration::from_millis(3_600_500)).as_str(), "PT1H0.5S");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Duration(String);

impl Duration {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, taken out.
    pub fn into_string(self) -> String {
        self.0
    }

    /// Has the text the form that DSP0266 asks for?
    ///
    /// At least one number must be there, and a `T` only before a time. Negative lengths, which the pattern allows, are
    /// well-formed.
    pub fn is_well_formed(&self) -> bool {
        parse(self.0.strip_prefix('-').unwrap_or(&self.0)).is_some()
    }

    /// The length; `None` when not well-formed, negative, or too long. Digits after the ninth of the fraction are cut
    /// off.
    pub fn to_std(&self) -> Option<std::time::Duration> {
        parse(&self.0)?
    }

    /// The text with the fewest units for a length.
    pub fn from_std(length: std::time::Duration) -> Self {
        let seconds = length.as_secs();
        let mut text = String::from("P");
        push(&mut text, seconds / 86_400, "D");
        let days_end = text.len();
        push(&mut text, seconds / 3_600 % 24, "H");
        push(&mut text, seconds / 60 % 60, "M");
        match (seconds % 60, length.subsec_nanos()) {
            (seconds, 0) => push(&mut text, seconds, "S"),
            (seconds, nanoseconds) => {
                let fraction = format!("{nanoseconds:09}");
                text.push_str(&format!("{seconds}.{}S", fraction.trim_end_matches('0')));
            }
        }
        if text.len() > days_end {
            text.insert(days_end, 'T');
        }
        if text == "P" {
            text.push_str("T0S");
        }
        Self(text)
    }
}

fn push(text: &mut String, number: u64, unit: &str) {
    if number > 0 {
        text.push_str(&number.to_string());
        text.push_str(unit);
    }
}

/// The length without its sign. `Some(None)` stands for one that is well-formed and too long.
#[allow(clippy::option_option)] // the form and the range are two questions
fn parse(text: &str) -> Option<Option<std::time::Duration>> {
    let text = text.strip_prefix('P')?;
    let (date, time) = match text.split_once('T') {
        Some((_, "")) => return None,
        Some((date, time)) => (date, time),
        None if text.is_empty() => return None,
        None => (text, ""),
    };
    let (days, date) = unit(date, 'D')?;
    let (hours, time) = unit(time, 'H')?;
    let (minutes, time) = unit(time, 'M')?;
    let (seconds, nanoseconds) = if time.is_empty() { ("0", 0) } else { seconds(time)? };
    if !date.is_empty() {
        return None;
    }
    let total = || {
        let mut total = days.parse::<u64>().ok()?;
        for (factor, number) in [(24, hours), (60, minutes), (60, seconds)] {
            total = total.checked_mul(factor)?.checked_add(number.parse().ok()?)?;
        }
        Some(std::time::Duration::new(total, nanoseconds))
    };
    Some(total())
}

/// The digits before `unit` when the text begins with such a number, else `0`; and the text after it.
fn unit(text: &str, unit: char) -> Option<(&str, &str)> {
    match text.split_once(unit) {
        Some((number, rest)) if is_number(number) => Some((number, rest)),
        Some(_) => None,
        None => Some(("0", text)),
    }
}

/// Whole seconds and nanoseconds of a text such as `4.5S`.
fn seconds(text: &str) -> Option<(&str, u32)> {
    let text = text.strip_suffix('S')?;
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, "0"));
    if !is_number(seconds) || !is_number(fraction) {
        return None;
    }
    let nanoseconds = format!("{fraction:0<9.9}").parse().ok()?;
    Some((seconds, nanoseconds))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

impl From<String> for Duration {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Duration {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl Serialize for Duration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Duration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration as Std;

    use super::*;

    #[test]
    fn text_becomes_a_length() {
        fn check(text: &str, well_formed: bool, expect: Option<Std>) {
            let duration = Duration::from(text);
            assert_eq!(
                (duration.is_well_formed(), duration.to_std()),
                (well_formed, expect),
                "{text}"
            );
        }
        check("PT0S", true, Some(Std::ZERO));
        check("P1D", true, Some(Std::from_secs(86_400)));
        check("P1DT2H3M4.5S", true, Some(Std::from_millis(93_784_500)));
        check("PT90M", true, Some(Std::from_secs(5_400)));
        check("PT1.0000000019S", true, Some(Std::new(1, 1)));
        check("-PT5S", true, None);
        check("P999999999999999999999D", true, None);
        check("PT18446744073709551615S", true, Some(Std::from_secs(u64::MAX)));
        check("PT1M18446744073709551615S", true, None);
        for bad in [
            "", "P", "PT", "P1DT", "1D", "P1H", "PT1D", "PTS", "PT.5S", "PT1.S", "PT1.5M", "P1Y",
            "P1W", "PT1M1H", "PT-1S", "PT5", "--PT1S", "PT1S ", "pt1s", "P1D2D", "PT1,5S",
        ] {
            check(bad, false, None);
        }
    }

    #[test]
    fn a_length_becomes_text() {
        fn check(length: Std, expect: &str) {
            let duration = Duration::from_std(length);
            assert_eq!(duration.as_str(), expect);
            assert_eq!(duration.to_std(), Some(length));
        }
        check(Std::ZERO, "PT0S");
        check(Std::from_secs(86_400), "P1D");
        check(Std::from_millis(93_784_500), "P1DT2H3M4.5S");
        check(Std::from_secs(3_601), "PT1H1S");
        check(Std::from_nanos(1), "PT0.000000001S");
        check(Std::MAX, "P213503982334601DT7H15.999999999S");
    }
}
