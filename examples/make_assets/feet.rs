//! Feet on the ground and in the air: each stance rolls from the heel over the flat foot to the ball.

use super::controls::Foot;
use super::rig::{BALL, FOOT, offset, rest};
use super::trig::{hermite, smoothstep, turn};
use glam::{DVec2, DVec3};

/// Back edge of the sole, from the ankle.
pub const HEEL: DVec3 = DVec3::new(0.0, -0.085, -0.048);
/// Seconds over which speeds are taken where a foot leaves or meets the ground.
const MOMENT: f64 = 1e-4;

/// How a foot is put down and picked up.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Degrees at the strike; negative lands on the heel.
    pub strike_pitch: f64,
    /// Seconds from the strike until the foot is flat.
    pub roll_secs: f64,
    /// Degrees at toe-off.
    pub off_pitch: f64,
    /// Seconds before toe-off at which the heel leaves, and the share of the stance that it stays at least.
    pub push_secs: f64,
    pub heel_share: f64,
    /// Metres by which the foot is lifted on its way to this stance, and degrees that it kicks back.
    pub lift: f64,
    pub kick: f64,
}

/// One stance.
#[derive(Clone, Copy, Debug)]
pub struct Plant {
    /// First and last moment on the ground, seconds.
    pub strike: f64,
    pub off: f64,
    /// Where the ankle stands when the foot is flat, and its heading in degrees.
    pub place: DVec2,
    pub yaw: f64,
    pub style: Style,
}

impl Plant {
    /// When the sole is down.
    fn flat(&self) -> f64 {
        self.strike + self.style.roll_secs
    }

    /// When the heel comes down.
    pub fn heel_on(&self) -> f64 {
        if self.style.strike_pitch > 0.0 {
            self.flat()
        } else {
            self.strike
        }
    }

    /// When the ball comes down.
    pub fn ball_on(&self) -> f64 {
        if self.style.strike_pitch > 0.0 {
            self.strike
        } else {
            self.flat()
        }
    }

    /// When the heel leaves.
    pub fn heel_off(&self) -> f64 {
        let soonest = self.strike + self.style.heel_share * (self.off - self.strike);
        soonest.max(self.off - self.style.push_secs)
    }

    /// The foot at a moment of the stance: the heel stands from `heel_on` to `heel_off`, the ball from
    /// `ball_on` to the end.
    fn foot(&self, secs: f64) -> Foot {
        let landing = ((secs - self.strike) / self.style.roll_secs).clamp(0.0, 1.0);
        let leaving = ((secs - self.heel_off()) / (self.off - self.heel_off())).max(0.0);
        let pitch = self.style.strike_pitch * hermite(1.0, -1.0, 0.0, 0.0, landing)
            + self.style.off_pitch * leaving * leaving;
        let heading = turn(DVec3::Y, self.yaw);
        let pivot = if pitch > 0.0 { offset(BALL) } else { HEEL };
        let flat = DVec3::new(self.place.x, rest(FOOT).y, self.place.y);
        let ankle = flat + heading * (pivot - turn(DVec3::X, pitch) * pivot);
        Foot {
            x: ankle.x,
            y: ankle.y,
            z: ankle.z,
            yaw: self.yaw,
            pitch,
            toe: -pitch.max(0.0),
        }
    }
}

/// A foot at any time, from its stances in order.
pub fn foot_at(plants: &[Plant], secs: f64) -> Foot {
    let next = plants.partition_point(|p| p.strike <= secs);
    let Some(last) = next.checked_sub(1).map(|i| &plants[i]) else {
        return plants[0].foot(plants[0].strike);
    };
    match plants.get(next) {
        Some(next) if secs > last.off => swing(last, next, secs),
        _ => last.foot(secs.min(last.off)),
    }
}

/// A foot that turns on its ball, which stands at `ball`.
pub fn on_ball(ball: DVec3, yaw: f64, pitch: f64) -> Foot {
    let ankle = ball - turn(DVec3::Y, yaw) * turn(DVec3::X, pitch) * offset(BALL);
    Foot {
        x: ankle.x,
        y: ankle.y,
        z: ankle.z,
        yaw,
        pitch,
        toe: -pitch,
    }
}

/// In the air: leaves and meets the ground with the speed of the stance.
fn swing(from: &Plant, to: &Plant, secs: f64) -> Foot {
    let span = to.strike - from.off;
    let u = (secs - from.off) / span;
    let (off, before) = (from.foot(from.off), from.foot(from.off - MOMENT));
    let (strike, after) = (to.foot(to.strike), to.foot(to.strike + MOMENT));
    let run = |pick: fn(&Foot) -> f64| {
        let slope = |a: &Foot, b: &Foot| (pick(b) - pick(a)) / MOMENT * span;
        hermite(
            pick(&off),
            slope(&before, &off),
            pick(&strike),
            slope(&strike, &after),
            u,
        )
    };
    // Highest, at 1, two fifths of the way.
    let raised = u * u * (1.0 - u) * (1.0 - u) * (1.0 - u) * 28.935;
    let pitch = run(|f| f.pitch) + to.style.kick * raised;
    // The toe straightens; where it lands first, it is bent in time.
    let off_slope = (off.toe - before.toe) / MOMENT * span;
    let relaxing = hermite(off.toe, off_slope * 0.6, 0.0, 0.0, (u / 0.6).min(1.0));
    let bracing = if to.style.strike_pitch > 0.0 {
        smoothstep(0.45, 0.8, u)
    } else {
        0.0
    };
    Foot {
        x: run(|f| f.x),
        y: run(|f| f.y) + to.style.lift * raised,
        z: run(|f| f.z),
        yaw: run(|f| f.yaw),
        pitch,
        toe: relaxing - bracing * pitch,
    }
}

/// What of a foot stands still, and when, seconds.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    /// 0 left, 1 right.
    pub side: usize,
    pub point: Point,
    pub from: f64,
    pub to: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    Heel,
    Ball,
}

/// The contacts of all stances.
pub fn contacts(plants: &[Vec<Plant>; 2]) -> Vec<Contact> {
    let mut out = Vec::new();
    for (side, plants) in plants.iter().enumerate() {
        for plant in plants {
            let contact = |point, from, to| Contact {
                side,
                point,
                from,
                to,
            };
            out.push(contact(Point::Heel, plant.heel_on(), plant.heel_off()));
            out.push(contact(Point::Ball, plant.ball_on(), plant.off));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::steps::{RUN_GAIT, SHUFFLE, WALK_GAIT};
    use super::*;

    /// Ankle, pitch and toe in one row.
    fn row(plants: &[Plant], secs: f64) -> [f64; 5] {
        let f = foot_at(plants, secs);
        [f.x, f.y, f.z, f.pitch / 100.0, f.toe / 100.0]
    }

    #[test]
    fn feet_leave_and_meet_the_ground_with_its_speed() {
        for gait in [
            WALK_GAIT,
            RUN_GAIT,
            super::super::steps::Gait {
                style: SHUFFLE,
                ..WALK_GAIT
            },
        ] {
            let plants = &gait.plants(1)[0][..];
            for moment in plants[1..4].iter().flat_map(|p| [p.strike, p.off]) {
                let [a, b, c, d] = [-2e-5, -1e-5, 1e-5, 2e-5].map(|dt| row(plants, moment + dt));
                for k in 0..5 {
                    let (before, after) = ((b[k] - a[k]) / 1e-5, (d[k] - c[k]) / 1e-5);
                    assert!(
                        (after - before).abs() < 0.05,
                        "{moment}, {k}: {before} {after}"
                    );
                    assert!((c[k] - b[k]).abs() < 1e-3, "{moment}, {k}");
                }
            }
        }
    }

    #[test]
    fn heel_and_ball_stand_while_they_should() {
        let plant = &WALK_GAIT.plants(1)[1][2];
        let at = |secs: f64, point: DVec3| {
            let foot = plant.foot(secs);
            foot.ankle() + turn(DVec3::Y, foot.yaw) * turn(DVec3::X, foot.pitch) * point
        };
        for (point, from, to) in [
            (HEEL, plant.heel_on(), plant.heel_off()),
            (offset(BALL), plant.ball_on(), plant.off),
        ] {
            for k in 0..=10 {
                let secs = from + (to - from) * f64::from(k) / 10.0;
                assert!((at(secs, point) - at(from, point)).length() < 1e-12);
            }
        }
    }

    #[test]
    fn a_foot_turns_on_its_ball() {
        let ball = DVec3::new(0.1, 0.022, 0.2);
        let foot = on_ball(ball, 200.0, 30.0);
        let found =
            foot.ankle() + turn(DVec3::Y, foot.yaw) * turn(DVec3::X, foot.pitch) * offset(BALL);
        assert!((found - ball).length() < 1e-12);
    }
}
