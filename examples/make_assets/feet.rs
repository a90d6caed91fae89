//! Feet on the ground and in the air: each stance rolls from the heel over the flat foot to the ball.

use super::controls::Foot;
use super::rig::{BALL, FOOT, offset, rest};
use super::trig::{hermite, turn};
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
    pub fn flat(&self) -> f64 {
        self.strike + self.style.roll_secs
    }

    /// When the heel leaves.
    pub fn heel_off(&self) -> f64 {
        let soonest = self.strike + self.style.heel_share * (self.off - self.strike);
        soonest.max(self.off - self.style.push_secs)
    }

    /// The foot at a moment of the stance: the heel stands until `heel_off`, the ball from `flat` on.
    fn foot(&self, secs: f64) -> Foot {
        let landing = ((secs - self.strike) / self.style.roll_secs).clamp(0.0, 1.0);
        let leaving = ((secs - self.heel_off()) / (self.off - self.heel_off())).max(0.0);
        let pitch = self.style.strike_pitch * hermite(1.0, -1.0, 0.0, 0.0, landing)
            + self.style.off_pitch * leaving * leaving;
        let heading = turn(DVec3::Y, self.yaw);
        let pivot = if leaving > 0.0 { offset(BALL) } else { HEEL };
        let flat = DVec3::new(self.place.x, rest(FOOT).y, self.place.y);
        let ankle = flat + heading * (pivot - turn(DVec3::X, pitch) * pivot);
        Foot {
            x: ankle.x,
            y: ankle.y,
            z: ankle.z,
            yaw: self.yaw,
            pitch,
            toe: if leaving > 0.0 { -pitch } else { 0.0 },
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

/// In the air: leaves and meets the ground with the speed of the stance.
fn swing(from: &Plant, to: &Plant, secs: f64) -> Foot {
    let span = to.strike - from.off;
    let u = (secs - from.off) / span;
    let (off, before) = (from.foot(from.off), from.foot(from.off - MOMENT));
    let (strike, after) = (to.foot(to.strike), to.foot(to.strike + MOMENT));
    let run = |pick: fn(&Foot) -> f64| {
        let slope = |a: &Foot, b: &Foot| (pick(b) - pick(a)) / MOMENT * span;
        hermite(pick(&off), slope(&before, &off), pick(&strike), slope(&strike, &after), u)
    };
    let late = u * u * (1.0 - u) * (1.0 - u) * 16.0;
    let early = u * u * (1.0 - u) * (1.0 - u) * (1.0 - u) * 28.935;
    let relax = (u / 0.75).min(1.0);
    let toe_slope = (off.toe - before.toe) / MOMENT * span * 0.75;
    Foot {
        x: run(|f| f.x),
        y: run(|f| f.y) + to.style.lift * if to.style.kick > 20.0 { early } else { late },
        z: run(|f| f.z),
        yaw: run(|f| f.yaw),
        pitch: run(|f| f.pitch) + to.style.kick * early,
        toe: hermite(off.toe, toe_slope, 0.0, 0.0, relax),
    }
}
