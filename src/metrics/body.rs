//! On what errors are measured: the vertices of the skin, and points around joints.

use super::measure::Options;
use crate::model::{Clip, Farthest, Look, Surface, VertexId, is_left_out};
use glam::{DAffine3, DVec3};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Axes of a joint that are shorter than this in the rest pose have no scale to divide by.
const NO_AXIS: f64 = 1e-9;

/// What an error is the error of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorMetric {
    /// The largest displacement of any vertex that the joints move; of the shell for joints that move none.
    #[default]
    Skin,
    /// The largest displacement of three points around every joint, as ACL measures: comparable between files, and
    /// what can be said of files without meshes.
    Shell,
}

impl ErrorMetric {
    /// The name that files, reports and the command line use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Skin => "skin",
            Self::Shell => "shell",
        }
    }

    /// Grows when the same name comes to mean another figure; version 1 measured all shells in the joints' own scale.
    pub fn version(self) -> u32 {
        2
    }
}

/// Displacements or places of a joint's three shell points, metres.
pub(super) type Shell = [DVec3; 3];

/// The vertices and shells of a clip's skeleton.
#[derive(Clone, Debug)]
pub struct Body {
    surface: Arc<Surface>,
    /// For each joint how far its shell points are off along its axes, source units of its own space: the shell
    /// distance in the world where the rest pose has the joint.
    shells: Vec<DVec3>,
    /// Whether a joint's shell counts against the target.
    counts: Vec<bool>,
    /// For each joint whether it moves any vertex.
    moves: Vec<bool>,
}

impl Body {
    /// What `options` say that errors of a clip are measured on. Cost: linear in the joints; the first time also in
    /// the vertices.
    pub fn new(clip: &Clip, options: &Options) -> Self {
        let skeleton = clip.skeleton();
        let joints = skeleton.len();
        let skin = clip.skin();
        let surface = match options.metric {
            ErrorMetric::Skin => skin.surface(joints, &options.left_out),
            ErrorMetric::Shell => Arc::default(),
        };
        let mut rest = vec![DAffine3::IDENTITY; joints];
        skeleton.model_pose(&skeleton.rest_pose(), &mut rest);
        let moves = if surface.is_empty() {
            vec![false; joints]
        } else {
            surface.movers()
        };
        let left = |name: &str| is_left_out(&options.left_out, name);
        let unread = skin.unread.iter().any(|u| !left(&u.name));
        let counts = |j: usize| unread || !moves[j] || options.weights.shell_m(j).is_some();
        let shell = |j: usize| {
            let shell_m = options.weights.shell_m(j).unwrap_or(options.shell_m);
            shell_axes(&rest[j]) * (shell_m / options.unit_m)
        };
        Self {
            shells: (0..joints).map(shell).collect(),
            counts: (0..joints).map(counts).collect(),
            surface,
            moves,
        }
    }

    /// The vertices; none when shells alone are measured.
    pub fn surface(&self) -> &Surface {
        &self.surface
    }

    /// How far a joint's shell points are off along its axes, source units of its own space.
    pub fn shell(&self, joint: usize) -> DVec3 {
        self.shells[joint]
    }

    /// Whether a joint's shell counts against the target.
    pub fn shell_counts(&self, joint: usize) -> bool {
        self.counts[joint]
    }

    /// Whether a joint moves any vertex.
    pub fn moves(&self, joint: usize) -> bool {
        self.moves[joint]
    }

    /// A gauge of its own for each thread.
    pub fn gauge(self: &Arc<Self>) -> BodyGauge {
        BodyGauge {
            look: self.surface.look(),
            farthest: vec![Farthest::default(); self.shells.len()],
            body: self.clone(),
        }
    }
}

/// For each axis of a joint 1 over its length in the model.
fn shell_axes(rest: &DAffine3) -> DVec3 {
    let m = rest.matrix3;
    let length = DVec3::new(m.x_axis.length(), m.y_axis.length(), m.z_axis.length());
    let part = |l: f64| {
        if l > NO_AXIS && l.is_finite() {
            1.0 / l
        } else {
            1.0
        }
    };
    DVec3::new(part(length.x), part(length.y), part(length.z))
}

/// Measures displacements of a body.
#[derive(Clone, Debug)]
pub struct BodyGauge {
    body: Arc<Body>,
    look: Look,
    farthest: Vec<Farthest>,
}

/// How far what hangs on a joint is displaced, metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Displaced {
    /// The vertices that it moves most; 0 where there is none.
    pub skin_m: f32,
    /// Its shell.
    pub shell_m: f32,
    /// The larger of those that count against a target.
    pub held_m: f32,
    /// The vertex that is displaced most; `None` for a joint that moves none most.
    pub vertex: Option<VertexId>,
}

impl BodyGauge {
    /// For each joint how far it displaces what hangs on it, where `deltas` are the differences of the joints' model
    /// matrices between two poses, in metres a source unit, and metres.
    pub fn measure<'a>(
        &'a mut self,
        deltas: &'a [DAffine3],
    ) -> impl Iterator<Item = Displaced> + 'a {
        let body = &*self.body;
        if !body.surface.is_empty() {
            body.surface
                .farthest(&mut self.look, deltas, &mut self.farthest);
        }
        let farthest = self.farthest.iter().enumerate();
        farthest.zip(deltas).map(|((joint, f), delta)| {
            let shell_m = largest(&shell_points(delta, body.shells[joint])) as f32;
            let held_m = if body.counts[joint] {
                f.error_m.max(shell_m)
            } else {
                f.error_m
            };
            Displaced {
                skin_m: f.error_m,
                shell_m,
                held_m,
                vertex: body.surface.owns(joint).then_some(f.vertex),
            }
        })
    }

    /// Vertices that were computed so far.
    pub fn touched(&self) -> u64 {
        self.look.touched()
    }
}

/// Where a matrix puts the points of a shell.
pub(super) fn shell_points(m: &DAffine3, shell: DVec3) -> Shell {
    std::array::from_fn(|k| m.matrix3.col(k) * shell[k] + m.translation)
}

/// Length of the longest; infinite where one is not a number, so that no maximum passes it over.
pub(super) fn largest(shell: &Shell) -> f64 {
    let [a, b, c] = shell.map(DVec3::length_squared);
    if (a + b + c).is_nan() {
        return f64::INFINITY;
    }
    a.max(b).max(c).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_number_is_no_small_error() {
        assert_eq!(largest(&[DVec3::X, DVec3::Y * 2.0, DVec3::ZERO]), 2.0);
        for k in 0..3 {
            let mut shell = [DVec3::ONE; 3];
            shell[k].y = f64::NAN;
            assert_eq!(largest(&shell), f64::INFINITY);
        }
    }

    #[test]
    fn a_shell_has_its_size_in_the_world() {
        let hundredth = DAffine3::from_scale(DVec3::splat(0.01));
        assert!((shell_axes(&hundredth) - DVec3::splat(100.0)).length() < 1e-9);
        assert_eq!(shell_axes(&DAffine3::from_scale(DVec3::ZERO)), DVec3::ONE);
    }
}
