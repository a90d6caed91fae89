//! The values a player writes for every joint.

/// One of the three curves that move a joint.
///
/// The numbers are the ones a `.ppc` file stores in the top two bits of a key's joint index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Channel {
    /// Unit quaternion `x, y, z, w`.
    Rotation = 0,
    /// Vector in the clip's own length unit.
    Translation = 1,
    /// Vector of factors.
    Scale = 2,
}

impl Channel {
    /// All channels, in the order in which files store them.
    pub const ALL: [Self; 3] = [Self::Rotation, Self::Translation, Self::Scale];

    /// Number of floats of one value: 4 for a rotation, else 3.
    pub const fn width(self) -> usize {
        match self {
            Self::Rotation => 4,
            Self::Translation | Self::Scale => 3,
        }
    }
}

/// A joint's transform relative to its parent: scale, then rotate, then translate.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Transform {
    /// Unit quaternion `x, y, z, w`.
    pub rotation: [f32; 4],
    /// Offset from the parent in the clip's own length unit.
    pub translation: [f32; 3],
    /// Factors along the joint's own axes; may be negative or zero.
    pub scale: [f32; 3],
}

impl Transform {
    /// No rotation, no translation, scale 1.
    pub const IDENTITY: Self = Self {
        rotation: [0.0, 0.0, 0.0, 1.0],
        translation: [0.0; 3],
        scale: [1.0; 3],
    };

    /// What this transform of an additive clip makes of a base: the base's rotation after its own, the sum of the
    /// translations, the product of the scales.
    #[must_use]
    pub fn on(&self, base: &Self) -> Self {
        let ([ax, ay, az, aw], [bx, by, bz, bw]) = (base.rotation, self.rotation);
        let pairs = |a: [f32; 3], b: [f32; 3], f: fn(f32, f32) -> f32| {
            let ([a0, a1, a2], [b0, b1, b2]) = (a, b);
            [f(a0, b0), f(a1, b1), f(a2, b2)]
        };
        Self {
            rotation: [
                aw * bx + ax * bw + ay * bz - az * by,
                aw * by - ax * bz + ay * bw + az * bx,
                aw * bz + ax * by - ay * bx + az * bw,
                aw * bw - ax * bx - ay * by - az * bz,
            ],
            translation: pairs(base.translation, self.translation, |a, b| a + b),
            scale: pairs(base.scale, self.scale, |a, b| a * b),
        }
    }
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}
