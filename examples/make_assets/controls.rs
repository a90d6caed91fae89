//! What an animator sets: the handles of the body, as plain numbers that can be mixed.

use super::trig::turn;
use glam::{DQuat, DVec3};

/// Declares a set of numbers that mix linearly.
macro_rules! mixable {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: f64,)*
        }

        impl $name {
            /// From `self` at 0 to `other` at 1.
            pub fn mix(&self, other: &Self, u: f64) -> Self {
                Self { $($field: self.$field + (other.$field - self.$field) * u,)* }
            }
        }
    };
}

mixable! {
    /// An orientation in degrees: first pitch about X (positive bows), then roll about Z (positive lifts the
    /// left), then yaw about Y (positive turns left).
    Tilt {
        yaw,
        roll,
        pitch,
    }
}

impl Tilt {
    pub fn new(yaw: f64, roll: f64, pitch: f64) -> Self {
        Self { yaw, roll, pitch }
    }

    pub fn rotation(&self) -> DQuat {
        turn(DVec3::Y, self.yaw) * turn(DVec3::Z, self.roll) * turn(DVec3::X, self.pitch)
    }
}

mixable! {
    /// An arm and its hand, degrees relative to the chest; the same numbers on the left and the right.
    Arm {
        /// Shoulder up.
        shrug,
        /// Shoulder forward.
        reach,
        /// Upper arm forward; it hangs at 0.
        swing,
        /// Upper arm to the side; it hangs at 0.
        lift,
        /// Upper arm about itself, inward.
        twist,
        /// Elbow; straight at 0.
        bend,
        /// Forearm about itself, until the palm faces back.
        pronate,
        /// Wrist toward the palm.
        flex,
        /// Wrist toward the thumb.
        tilt,
        /// Fingers: 0 straight, 1 a fist.
        curl,
        /// Fingers apart, 0 to 1.
        spread,
    }
}

mixable! {
    /// A foot in the world: place of the ankle in metres, heading, pitch and the toe's pitch against the foot
    /// in degrees; positive pitch lowers the toe.
    Foot {
        x,
        y,
        z,
        yaw,
        pitch,
        toe,
    }
}

impl Foot {
    pub fn ankle(&self) -> DVec3 {
        DVec3::new(self.x, self.y, self.z)
    }
}

/// Where a hand has to be, in the world: the wrist, the hand's orientation, and the way the elbow points.
#[derive(Clone, Copy, Debug)]
pub struct Hold {
    pub wrist: DVec3,
    pub rotation: DQuat,
    pub elbow: DVec3,
}

/// Everything above the legs, relative to the heading; sides are `[left, right]`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Upper {
    /// Height of the pelvis that is wanted; legs that would lock pull it down.
    pub height: f64,
    /// Share of its length to which a leg may stretch.
    pub stretch: f64,
    /// Pelvis to the left and forward of the root, metres.
    pub sway: f64,
    pub surge: f64,
    pub hips: Tilt,
    pub chest: Tilt,
    pub head: Tilt,
    pub arms: [Arm; 2],
}

impl Upper {
    pub fn mix(&self, other: &Self, u: f64) -> Self {
        let number = |a: f64, b: f64| a + (b - a) * u;
        Self {
            height: number(self.height, other.height),
            stretch: number(self.stretch, other.stretch),
            sway: number(self.sway, other.sway),
            surge: number(self.surge, other.surge),
            hips: self.hips.mix(&other.hips, u),
            chest: self.chest.mix(&other.chest, u),
            head: self.head.mix(&other.head, u),
            arms: std::array::from_fn(|s| self.arms[s].mix(&other.arms[s], u)),
        }
    }
}

/// All handles at one time.
#[derive(Clone, Copy, Debug)]
pub struct Stage {
    /// Where the root stands on the ground, and what the pelvis is over.
    pub root: DVec3,
    pub over: DVec3,
    /// Degrees that the root is turned, and those that the body is.
    pub root_yaw: f64,
    pub heading: f64,
    pub feet: [Foot; 2],
    pub upper: Upper,
    /// Hands that hold something.
    pub holds: Option<[Hold; 2]>,
}
