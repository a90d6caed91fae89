//! Where the playhead is and how it moves.

use crate::model::FrameGrid;

/// Which way the playhead runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Towards the end.
    Forward,
    /// Towards the start.
    Reverse,
}

/// The playhead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transport {
    /// Position in frames, in `[0, frames - 1]`.
    pub frame: f64,
    /// Running, and which way.
    pub playing: Option<Direction>,
    /// Factor on real time, above 0.
    pub speed: f64,
    /// Start again at the other end, rather than stop there.
    pub repeat: bool,
}

impl Default for Transport {
    fn default() -> Self {
        Self {
            frame: 0.0,
            playing: None,
            speed: 1.0,
            repeat: true,
        }
    }
}

impl Transport {
    /// Moves on by `dt_secs` of real time.
    pub fn tick(&mut self, dt_secs: f64, grid: &FrameGrid) {
        let Some(direction) = self.playing else {
            return;
        };
        let last = grid.last() as f64;
        let step = dt_secs * self.speed * grid.rate_hz;
        let next = match direction {
            Direction::Forward => self.frame + step,
            Direction::Reverse => self.frame - step,
        };
        if (0.0..=last).contains(&next) {
            self.frame = next;
        } else if self.repeat && last > 0.0 {
            self.frame = next.rem_euclid(last);
        } else {
            self.frame = next.clamp(0.0, last);
            self.playing = None;
        }
    }

    /// Starts or stops; from a clip's end it starts again at the other one.
    pub fn toggle(&mut self, direction: Direction, grid: &FrameGrid) {
        if self.playing == Some(direction) {
            self.playing = None;
            return;
        }
        self.playing = Some(direction);
        let last = grid.last() as f64;
        match direction {
            Direction::Forward if self.frame >= last => self.frame = 0.0,
            Direction::Reverse if self.frame <= 0.0 => self.frame = last,
            _ => {}
        }
    }

    /// Goes to a frame, kept inside the clip.
    pub fn go_to(&mut self, frame: f64, grid: &FrameGrid) {
        self.frame = if frame.is_finite() {
            frame.clamp(0.0, grid.last() as f64)
        } else {
            0.0
        };
    }

    /// Stops and goes to the next whole frame on a side.
    pub fn step(&mut self, frames: i64, grid: &FrameGrid) {
        self.playing = None;
        let whole = if frames > 0 {
            self.frame.floor()
        } else {
            self.frame.ceil()
        };
        self.go_to(whole + frames as f64, grid);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRID: FrameGrid = FrameGrid {
        start_secs: 0.0,
        rate_hz: 30.0,
        frames: 31,
    };

    #[test]
    fn it_runs_round_both_ways_and_stops_without_repeat() {
        let mut t = Transport {
            frame: 29.0,
            playing: Some(Direction::Forward),
            ..Transport::default()
        };
        t.tick(0.1, &GRID);
        assert!((t.frame - 2.0).abs() < 1e-9);
        t.playing = Some(Direction::Reverse);
        t.tick(0.1, &GRID);
        assert!((t.frame - 29.0).abs() < 1e-9);
        t = Transport {
            repeat: false,
            playing: Some(Direction::Forward),
            ..t
        };
        t.tick(1.0, &GRID);
        assert_eq!((t.frame, t.playing), (30.0, None));
    }

    #[test]
    fn steps_land_on_whole_frames() {
        let mut t = Transport {
            frame: 4.4,
            ..Transport::default()
        };
        t.step(1, &GRID);
        assert_eq!(t.frame, 5.0);
        t.frame = 4.4;
        t.step(-1, &GRID);
        assert_eq!(t.frame, 4.0);
        t.step(-10, &GRID);
        assert_eq!(t.frame, 0.0);
    }
}
