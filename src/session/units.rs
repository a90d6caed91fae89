//! Lengths and angles as people type and read them. Stored are metres and radians.

use crate::codec::SETTING_RANGE;

/// Reads a length: a number and `mm` (also when nothing is given), `cm`, `m`, `um` or `in`. Metres.
pub fn parse_length_m(text: &str) -> Result<f64, String> {
    let units = [
        ("mm", 1e-3),
        ("cm", 1e-2),
        ("um", 1e-6),
        ("µm", 1e-6),
        ("in", 0.0254),
        ("m", 1.0),
    ];
    parse(text, &units, 1e-3, "0.5mm")
}

/// Reads an angle: a number and `deg` or `°` (also when nothing is given) or `rad`. Radians.
pub fn parse_angle_rad(text: &str) -> Result<f64, String> {
    let degree = std::f64::consts::PI / 180.0;
    parse(
        text,
        &[("deg", degree), ("°", degree), ("rad", 1.0)],
        degree,
        "0.05deg",
    )
}

/// Reads a plain factor, also with `%`.
pub fn parse_factor(text: &str) -> Result<f64, String> {
    parse(text, &[("%", 0.01)], 1.0, "0.0001")
}

fn parse(text: &str, units: &[(&str, f64)], default: f64, example: &str) -> Result<f64, String> {
    parse_in(text, units, default, example, SETTING_RANGE)
}

fn parse_in(
    text: &str,
    units: &[(&str, f64)],
    default: f64,
    example: &str,
    range: std::ops::RangeInclusive<f64>,
) -> Result<f64, String> {
    let text = text.trim().to_lowercase().replace(',', ".");
    let unit = units.iter().find(|(name, _)| text.ends_with(name));
    let (number, factor) = match unit {
        Some((name, factor)) => (text[..text.len() - name.len()].trim(), *factor),
        None => (text.as_str(), default),
    };
    let value: f64 = number
        .parse()
        .map_err(|_| format!("'{text}' is not a value; write one like {example}"))?;
    let value = value * factor;
    if range.contains(&value) {
        return Ok(value);
    }
    Err(format!(
        "'{text}' is not above 0 and within reason; write one like {example}"
    ))
}

/// A length in millimetres with as many digits as it deserves: `0.0970 mm`, `12.4 mm`.
pub fn show_mm(metres: f64) -> String {
    format!("{} mm", digits(metres * 1000.0))
}

/// An angle in degrees: `0.0350°`.
pub fn show_degrees(radians: f64) -> String {
    format!("{}°", digits(radians.to_degrees()))
}

/// A number with about three significant digits and never more than five decimals.
pub fn digits(value: f64) -> String {
    let decimals = match value.abs() {
        m if m < 5e-6 => return "0".to_owned(),
        m if m < 0.001 => 5,
        m if m < 0.1 => 4,
        m if m < 1.0 => 3,
        m if m < 10.0 => 2,
        m if m < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

/// Bytes as people read them: `812 B`, `8.0 KB` (1024 bytes), `3.1 MB`.
pub fn show_bytes(bytes: usize) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{:.1} KB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MB", bytes as f64 / 1_048_576.0),
    }
}

/// Which bytes a limit is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counted {
    /// Those of the animation.
    #[default]
    Animation,
    /// Those of the file, with skeleton and rest pose.
    File,
}

/// How many bytes of what a clip may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteLimit {
    /// How many.
    pub bytes: usize,
    /// Of what.
    pub counted: Counted,
}

impl ByteLimit {
    /// A limit for the animation.
    pub fn animation(bytes: usize) -> Self {
        Self {
            bytes,
            counted: Counted::Animation,
        }
    }

    /// A limit for the file.
    pub fn file(bytes: usize) -> Self {
        Self {
            bytes,
            counted: Counted::File,
        }
    }
}

impl std::fmt::Display for ByteLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bytes = show_bytes(self.bytes);
        match self.counted {
            Counted::Animation => write!(f, "{bytes} of animation"),
            Counted::File => write!(f, "a file of {bytes}"),
        }
    }
}

/// How small a clip has to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SizeLimit {
    /// So many bytes.
    Bytes(ByteLimit),
    /// Its animation so many times smaller than full frames of ten floats a joint.
    Times(f64),
}

impl SizeLimit {
    /// The bytes for a clip of which full frames take `raw_bytes`.
    pub fn limit(self, raw_bytes: usize) -> ByteLimit {
        match self {
            Self::Bytes(limit) => limit,
            Self::Times(times) => ByteLimit::animation((raw_bytes as f64 / times) as usize),
        }
    }
}

/// Reads a size: bytes of the animation when nothing is given, `KB` of 1024, `MB`, or `x` for so many times smaller than full
/// frames; with `:file` behind it the size of the whole file.
pub fn parse_size_limit(text: &str) -> Result<SizeLimit, String> {
    let example = "2KB, 1500 or 40x for the animation, 6KB:file for the whole file";
    let lower = text.trim().to_lowercase().replace('×', "x");
    let (lower, counted) = match lower.strip_suffix(":file") {
        Some(size) => (size.trim().to_owned(), Counted::File),
        None => (lower, Counted::Animation),
    };
    if let Some(times) = lower.strip_suffix('x') {
        if counted == Counted::File {
            let reason = "a ratio is one of animations, so it cannot be that of a file";
            return Err(format!("'{text}': {reason}; write one like {example}"));
        }
        let value = parse(times, &[], 1.0, example)?;
        return Ok(SizeLimit::Times(value));
    }
    let (kb, mb) = (1024.0, 1_048_576.0);
    let units = [
        ("kib", kb),
        ("mib", mb),
        ("kb", kb),
        ("mb", mb),
        ("k", kb),
        ("m", mb),
        ("b", 1.0),
    ];
    let bytes = parse_in(&lower, &units, 1.0, example, 1.0..=1e15)?;
    Ok(SizeLimit::Bytes(ByteLimit {
        bytes: bytes as usize,
        counted,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_units_are_understood() {
        assert_eq!(parse_length_m("0.5mm"), Ok(0.0005));
        assert_eq!(parse_length_m(" 2 cm "), Ok(0.02));
        assert_eq!(parse_length_m("1m"), Ok(1.0));
        assert_eq!(parse_length_m("1"), Ok(0.001));
        assert_eq!(parse_length_m("0,5"), Ok(0.0005));
        assert!((parse_angle_rad("180").expect("an angle") - std::f64::consts::PI).abs() < 1e-12);
        assert_eq!(parse_angle_rad("1 rad"), Ok(1.0));
        assert_eq!(parse_factor("1e-4"), Ok(1e-4));
    }

    #[test]
    fn sizes_are_bytes_or_ratios() {
        use SizeLimit::Times;
        let bytes = |n| SizeLimit::Bytes(ByteLimit::animation(n));
        for (text, limit) in [
            ("1500", bytes(1500)),
            (" 2 KB ", bytes(2048)),
            ("1.5kb", bytes(1536)),
            ("1,5 k", bytes(1536)),
            ("812 B", bytes(812)),
            ("2KiB", bytes(2048)),
            ("0.5MB", bytes(524_288)),
            ("40x", Times(40.0)),
            ("52.6×", Times(52.6)),
        ] {
            assert_eq!(parse_size_limit(text), Ok(limit), "{text}");
        }
        let file = Ok(SizeLimit::Bytes(ByteLimit::file(6144)));
        assert_eq!(parse_size_limit("6 KB:file"), file);
        assert_eq!(parse_size_limit("6144 :File"), file);
        for bad in [
            "", "KB", "small", "0", "0.5", "-2KB", "nan", "1e99", "x", "0x", "-3x", ":file",
            "40x:file", "2KB:disk",
        ] {
            let error = parse_size_limit(bad);
            assert!(error.is_err_and(|e| e.contains("2KB")), "{bad}");
        }
        assert_eq!(Times(40.0).limit(84_000), ByteLimit::animation(2100));
        let shown = show_bytes(2048);
        assert_eq!(parse_size_limit(&shown), Ok(bytes(2048)), "as it is shown");
    }

    #[test]
    fn nonsense_is_refused_with_an_example() {
        for bad in ["", "mm", "fast", "-1mm", "0", "nan", "inf", "1e999"] {
            assert!(
                parse_length_m(bad).is_err_and(|e| e.contains("0.5mm")),
                "{bad}"
            );
        }
    }

    #[test]
    fn numbers_keep_three_digits() {
        assert_eq!(show_mm(0.000_097), "0.0970 mm");
        assert_eq!(show_mm(0.0124), "12.4 mm");
        assert_eq!(digits(0.0), "0");
        assert_eq!(show_bytes(8192), "8.0 KB");
    }
}
