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
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}
