//! Positions in a clip as people type and read them.

use crate::gui::within::Within as _;
use crate::model::FrameGrid;

/// Reads a frame: `45`, `45.5`, seconds from the clip's first frame (`1.5s`), or seconds and frames
/// (`2:15`). Clamped to the clip.
pub fn parse_frame(text: &str, grid: &FrameGrid) -> Result<f64, String> {
    let typed = text.trim().to_lowercase().replace(',', ".");
    let frame = if let Some((secs, frames)) = typed.split_once(':') {
        number(secs, text)? * grid.rate_hz + number(frames, text)?
    } else if let Some(secs) = typed.strip_suffix('s') {
        number(secs, text)? * grid.rate_hz
    } else {
        number(&typed, text)?
    };
    Ok(frame.within(0.0, grid.last() as f64))
}

fn number(part: &str, all: &str) -> Result<f64, String> {
    let value = part.trim().parse().ok().filter(|v: &f64| v.is_finite());
    value.ok_or_else(|| {
        format!(
            "'{all}' is no position; type a frame (45), seconds (1.5s) or seconds:frames (2:15)"
        )
    })
}

/// A frame with as many decimals as it needs, one at most: `47`, `47.2`.
pub fn show_frame(frame: f64) -> String {
    let tenths = (frame * 10.0).round() / 10.0;
    if tenths.fract() == 0.0 {
        format!("{tenths:.0}")
    } else {
        format!("{tenths:.1}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRID: FrameGrid = FrameGrid {
        start_secs: 0.5,
        rate_hz: 30.0,
        frames: 91,
    };

    #[test]
    fn frames_seconds_and_timecode_are_understood() {
        let read = |text| parse_frame(text, &GRID);
        assert_eq!(read("45"), Ok(45.0));
        assert_eq!(read(" 45.5 "), Ok(45.5));
        assert_eq!(read("45,5"), Ok(45.5));
        assert_eq!(read("1.5s"), Ok(45.0));
        assert_eq!(read("2:15"), Ok(75.0));
        assert_eq!(read("1000"), Ok(90.0));
        assert_eq!(read("-3"), Ok(0.0));
    }

    #[test]
    fn nonsense_is_refused_with_examples() {
        for bad in ["", "s", ":", "1:", "abc", "nan", "inf"] {
            assert!(
                parse_frame(bad, &GRID).is_err_and(|e| e.contains("2:15")),
                "{bad}"
            );
        }
    }

    #[test]
    fn frames_read_back() {
        assert_eq!(show_frame(47.0), "47");
        assert_eq!(show_frame(47.24), "47.2");
        assert_eq!(show_frame(46.97), "47");
    }
}
