//! Where and when feet come down, for steady gaits and for hand-made lists of steps.

use super::feet::{Plant, Style};
use super::rig::{FOOT, rest};
use super::trig::turn;
use glam::{DVec2, DVec3};

pub const WALK: Style = Style {
    strike_pitch: -19.0,
    roll_secs: 0.1,
    off_pitch: 52.0,
    push_secs: 0.3,
    heel_share: 0.5,
    lift: 0.052,
    kick: -6.0,
};

pub const RUN: Style = Style {
    strike_pitch: -7.0,
    roll_secs: 1.0 / 30.0,
    off_pitch: 58.0,
    push_secs: 0.14,
    heel_share: 0.42,
    lift: 0.22,
    kick: 62.0,
};

/// Small steps while turning or setting a foot right.
pub const SHUFFLE: Style = Style {
    strike_pitch: 7.0,
    roll_secs: 0.1,
    off_pitch: 24.0,
    push_secs: 0.17,
    heel_share: 0.3,
    lift: 0.040,
    kick: -14.0,
};

/// Seconds long before and after any clip.
pub const LONG_AGO: f64 = -1000.0;
pub const FOREVER: f64 = 1000.0;

/// Where the root is and how it is turned, degrees.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    pub place: DVec3,
    pub yaw: f64,
}

/// How wide a foot stands beside the root, and how far it is turned out.
#[derive(Clone, Copy, Debug)]
pub struct Stand {
    pub beside_m: f64,
    pub forward_m: f64,
    pub out_degrees: f64,
}

/// Feet as they stand at ease, left and right.
pub const AT_EASE: [Stand; 2] = [
    Stand {
        beside_m: 0.108,
        forward_m: 0.030,
        out_degrees: 12.0,
    },
    Stand {
        beside_m: 0.104,
        forward_m: -0.030,
        out_degrees: 9.0,
    },
];
pub const WALKING: Stand = Stand {
    beside_m: 0.075,
    forward_m: 0.0,
    out_degrees: 5.0,
};
pub const RUNNING: Stand = Stand {
    beside_m: 0.045,
    forward_m: 0.0,
    out_degrees: 2.0,
};

/// +1 for the left of two sides, -1 for the right.
pub fn side_sign(side: usize) -> f64 {
    if side == 0 { 1.0 } else { -1.0 }
}

/// A stance of a foot under a root at `spot`.
pub fn plant(side: usize, spot: Spot, stand: Stand, style: Style, strike: f64, off: f64) -> Plant {
    let s = side_sign(side);
    let beside = DVec3::new(s * stand.beside_m, 0.0, stand.forward_m + rest(FOOT).z);
    let place = spot.place + turn(DVec3::Y, spot.yaw) * beside;
    Plant {
        strike,
        off,
        place: DVec2::new(place.x, place.z),
        yaw: spot.yaw + s * stand.out_degrees,
        style,
    }
}

/// A gait that goes on for ever, straight ahead.
#[derive(Clone, Copy, Debug)]
pub struct Gait {
    pub period_secs: f64,
    pub speed_m_s: f64,
    /// Share of the cycle that a foot is on the ground, and the share of that at which the root is over it.
    pub stance: f64,
    pub over: f64,
    pub style: Style,
    pub stand: Stand,
}

pub const WALK_GAIT: Gait = Gait {
    period_secs: 1.0,
    speed_m_s: 1.3,
    stance: 0.62,
    over: 0.43,
    style: WALK,
    stand: WALKING,
};

pub const RUN_GAIT: Gait = Gait {
    period_secs: 2.0 / 3.0,
    speed_m_s: 3.3,
    stance: 0.36,
    over: 0.42,
    style: RUN,
    stand: RUNNING,
};

impl Gait {
    pub fn root(&self, secs: f64) -> DVec3 {
        DVec3::Z * (self.speed_m_s * secs)
    }

    /// Stances of the cycles -2 to `cycles` + 2.
    pub fn plants(&self, cycles: i32) -> [Vec<Plant>; 2] {
        std::array::from_fn(|side| {
            let cycle = |k: i32| {
                let strike = self.period_secs * (f64::from(k) + 0.5 * side as f64);
                let stance = self.period_secs * self.stance;
                let spot = Spot {
                    place: self.root(strike + self.over * stance),
                    yaw: 0.0,
                };
                plant(side, spot, self.stand, self.style, strike, strike + stance)
            };
            (-2..=cycles + 2).map(cycle).collect()
        })
    }
}

/// One step of a list: a foot is lifted at `off` and set down at `strike`.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// 0 left, 1 right.
    pub side: usize,
    pub off: f64,
    pub strike: f64,
    pub style: Style,
    pub stand: Stand,
    pub spot: Spot,
}

/// Stances of feet that stand at ease at `start` and then go through `steps`.
pub fn stances(start: Spot, steps: &[Step]) -> [Vec<Plant>; 2] {
    std::array::from_fn(|side| {
        let mut plants = vec![plant(
            side,
            start,
            AT_EASE[side],
            SHUFFLE,
            LONG_AGO,
            FOREVER,
        )];
        for step in steps.iter().filter(|s| s.side == side) {
            if let Some(last) = plants.last_mut() {
                last.off = step.off;
                // A foot leaves in the manner of the step that it makes.
                last.style.off_pitch = step.style.off_pitch;
                last.style.push_secs = step.style.push_secs;
                last.style.heel_share = step.style.heel_share;
            }
            plants.push(plant(
                side,
                step.spot,
                step.stand,
                step.style,
                step.strike,
                FOREVER,
            ));
        }
        plants
    })
}

/// Seconds' worth of a speed of 1 that grows from 0 at `from` to full at `to`.
pub fn travelled(from: f64, to: f64, secs: f64) -> f64 {
    let span = to - from;
    let u = ((secs - from) / span).clamp(0.0, 1.0);
    let eased = u * u * u * u * (u * (u - 3.0) + 2.5);
    eased * span + (secs - to).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_grows_as_the_speed_does() {
        for k in 0..30 {
            let secs = 0.05 * f64::from(k);
            let speed =
                (travelled(0.3, 0.9, secs + 1e-5) - travelled(0.3, 0.9, secs - 1e-5)) / 2e-5;
            let eased = super::super::trig::smootherstep(0.3, 0.9, secs);
            assert!((speed - eased).abs() < 1e-6, "{secs}: {speed} {eased}");
        }
    }

    #[test]
    fn a_list_of_steps_alternates_stance_and_swing() {
        let spot = |z: f64| Spot {
            place: DVec3::Z * z,
            yaw: 0.0,
        };
        let step = |side, off, strike, z| {
            let (style, stand) = (WALK, WALKING);
            Step {
                side,
                off,
                strike,
                style,
                stand,
                spot: spot(z),
            }
        };
        let [left, right] = stances(
            spot(0.0),
            &[
                step(0, 1.0, 1.4, 0.5),
                step(1, 1.5, 1.9, 0.7),
                step(0, 2.0, 2.4, 1.0),
            ],
        );
        assert_eq!((left.len(), right.len()), (3, 2));
        assert_eq!(
            (left[1].strike, left[1].off, left[2].off),
            (1.4, 2.0, FOREVER)
        );
        assert!(left[0].place.x > 0.0 && right[0].place.x < 0.0);
    }
}
