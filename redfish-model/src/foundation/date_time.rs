//! Points in time.
//!
//! The text is kept: services send offsets that say where they stand, fractions of any length and, against the schema,
//! forms of their own. A type that only holds an instant would change or refuse those.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A point in time as text (`format: date-time`; DSP0266 asks for RFC 3339 with an offset from UTC).
///
/// ```
/// use redfish_model::DateTimeOffset;
///
/// let time = DateTimeOffset::from("1970-01-01T01:00:00+01:00");
/// assert_eq!(time.to_unix_seconds(), Some(0));
/// assert!(!DateTimeOffset::from("yesterday").is_well_formed());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct DateTimeOffset(String);

/// The parts of a text in the form of RFC 3339.
struct Parts {
    seconds: i64,
    #[cfg_attr(not(feature = "jiff"), allow(dead_code))]
    nanoseconds: i32,
}

impl DateTimeOffset {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, taken out.
    pub fn into_string(self) -> String {
        self.0
    }

    /// Has the text the form that DSP0266 asks for, and is there such a day and time?
    pub fn is_well_formed(&self) -> bool {
        parse(&self.0).is_some()
    }

    /// Seconds since 1970-01-01T00:00:00Z, without the fraction; `None` when not well-formed. A leap second counts as
    /// the second after it.
    pub fn to_unix_seconds(&self) -> Option<i64> {
        parse(&self.0).map(|parts| parts.seconds)
    }

    /// The time in UTC that is so many seconds after 1970-01-01T00:00:00Z; `None` outside the years 0 to 9999.
    pub fn from_unix_seconds(seconds: i64) -> Option<Self> {
        let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        let (year, month, day) = civil_from_days(days)?;
        let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
        Some(Self(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")))
    }

    /// The instant; `None` when not well-formed or beyond what `jiff` can express. Digits after the ninth of the
    /// fraction are cut off.
    #[cfg(feature = "jiff")]
    pub fn to_timestamp(&self) -> Option<jiff::Timestamp> {
        let parts = parse(&self.0)?;
        jiff::Timestamp::new(parts.seconds, 0)
            .ok()?
            .checked_add(jiff::SignedDuration::new(0, parts.nanoseconds))
            .ok()
    }
}

fn parse(text: &str) -> Option<Parts> {
    let bytes = text.as_bytes();
    let (date_time, mut rest) = bytes.split_at_checked(19)?;
    for (index, separators) in [(4, &b"-"[..]), (7, b"-"), (10, b"Tt"), (13, b":"), (16, b":")] {
        if !separators.contains(&date_time[index]) {
            return None;
        }
    }
    let year = number(&date_time[0..4], 9999)?;
    let month = number(&date_time[5..7], 12)?;
    let day = number(&date_time[8..10], 31)?;
    let hour = number(&date_time[11..13], 23)?;
    let minute = number(&date_time[14..16], 59)?;
    let second = number(&date_time[17..19], 60)?;
    if month == 0 || day == 0 || day > days_in_month(year, month) {
        return None;
    }

    let mut nanoseconds = 0;
    if let Some(fraction) = rest.strip_prefix(b".") {
        let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            return None;
        }
        for digit in fraction[..digits].iter().chain(b"000000000").take(9) {
            nanoseconds = nanoseconds * 10 + i32::from(digit - b'0');
        }
        rest = &fraction[digits..];
    }

    let offset = match rest {
        b"Z" | b"z" => 0,
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let seconds = number(&[*h1, *h2], 23)? * 3_600 + number(&[*m1, *m2], 59)? * 60;
            if *sign == b'-' { -seconds } else { seconds }
        }
        _ => return None,
    };
    let seconds =
        days_from_civil(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset;
    Some(Parts { seconds, nanoseconds })
}

/// Digits alone, at most `max`.
fn number(digits: &[u8], max: i64) -> Option<i64> {
    let mut value = 0;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value * 10 + i64::from(digit - b'0');
    }
    (value <= max).then_some(value)
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 in the Gregorian calendar. Years begin in March here, so that the leap day comes last.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    // 719,468 days lie between 0000-03-01 and 1970-01-01.
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year
        - 719_468
}

/// The way back, for the years 0 to 9999.
fn civil_from_days(days: i64) -> Option<(i64, i64, i64)> {
    if !(days_from_civil(0, 1, 1)..=days_from_civil(9999, 12, 31)).contains(&days) {
        return None;
    }
    // The estimate is off by one year at most, since a year has 365.2425 days on average.
    let estimate = 1970 + (days * 400).div_euclid(146_097);
    let year =
        (estimate - 1..=estimate + 1).rev().find(|year| days_from_civil(*year, 1, 1) <= days)?;
    let month = (1..=12).rev().find(|month| days_from_civil(year, *month, 1) <= days)?;
    Some((year, month, days - days_from_civil(year, month, 1) + 1))
}

impl From<String> for DateTimeOffset {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for DateTimeOffset {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Display for DateTimeOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl Serialize for DateTimeOffset {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for DateTimeOffset {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_those_of_unix() {
        fn check(text: &str, expect: Option<i64>) {
            assert_eq!(DateTimeOffset::from(text).to_unix_seconds(), expect, "{text}");
            assert_eq!(DateTimeOffset::from(text).is_well_formed(), expect.is_some(), "{text}");
        }
        check("1970-01-01T00:00:00Z", Some(0));
        check("1969-12-31T23:59:59z", Some(-1));
        check("2000-02-29T12:00:00.123456789012+02:00", Some(951_818_400));
        check("2024-03-01t00:00:00-00:30", Some(1_709_253_000));
        check("2400-02-29T00:00:00Z", Some(13_574_563_200));
        check("2016-12-31T23:59:60Z", Some(1_483_228_800));
        check("0000-01-01T00:00:00Z", Some(-62_167_219_200));
        check("9999-12-31T23:59:59Z", Some(253_402_300_799));
        for bad in [
            "",
            "2024-01-01",
            "2024-01-01T00:00:00",
            "2024-01-01 00:00:00Z",
            "2023-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "2024-00-01T00:00:00Z",
            "2024-13-01T00:00:00Z",
            "2024-01-00T00:00:00Z",
            "2024-01-01T24:00:00Z",
            "2024-01-01T00:60:00Z",
            "2024-01-01T00:00:61Z",
            "2024-01-01T00:00:00.Z",
            "2024-01-01T00:00:00+0100",
            "2024-01-01T00:00:00+24:00",
            "2024-01-01T00:00:00Zx",
            "+024-01-01T00:00:00Z",
            "2024-01-01T00:00:0é",
        ] {
            check(bad, None);
        }
    }

    #[test]
    fn seconds_become_text() {
        fn check(seconds: i64, expect: Option<&str>) {
            let time = DateTimeOffset::from_unix_seconds(seconds);
            assert_eq!(time.as_ref().map(DateTimeOffset::as_str), expect);
        }
        check(0, Some("1970-01-01T00:00:00Z"));
        check(-1, Some("1969-12-31T23:59:59Z"));
        check(951_782_400, Some("2000-02-29T00:00:00Z"));
        check(253_402_300_799, Some("9999-12-31T23:59:59Z"));
        check(253_402_300_800, None);
        check(i64::MIN, None);
        check(i64::MAX, None);
        for seconds in (-62_167_219_200..253_402_300_799).step_by(86_399 * 41) {
            let time = DateTimeOffset::from_unix_seconds(seconds).unwrap();
            assert_eq!(time.to_unix_seconds(), Some(seconds), "{time}");
        }
    }

    #[cfg(feature = "jiff")]
    #[test]
    fn jiff_agrees() {
        for text in [
            "2000-02-29T12:00:00.123456789+02:00",
            "1969-12-31T23:59:59.5Z",
            "0001-01-01T00:00:00Z",
        ] {
            assert_eq!(DateTimeOffset::from(text).to_timestamp(), text.parse().ok(), "{text}");
        }
        assert_eq!(DateTimeOffset::from("now").to_timestamp(), None);
    }
}
