//! On what errors are measured: the vertices of the skin, and points around joints.

use super::difference::Difference;
use super::measure::Options;
use super::morphed::{Morphed, Shape, is_morphed};
use crate::model::{
    Clip, Farthest, Look, Surface, VertexId, Without, is_left_out, less_axes, vertex_place,
};
use glam::{DAffine3, DVec3};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

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
    /// All vertices but the morphed ones.
    surface: Arc<Surface>,
    morphed: Morphed,
    /// For each joint how far its shell points are off along its axes, source units of its own space: the shell
    /// distance in the world where the rest pose has the joint.
    shells: Vec<DVec3>,
    /// Whether a joint's shell counts against the target.
    counts: Vec<bool>,
    /// For each joint whether it moves any vertex.
    moves: Vec<bool>,
    /// For each joint whether it moves any vertex more than others do.
    owns: Vec<bool>,
}

impl Body {
    /// What `options` say that errors of a clip are measured on. Cost: linear in the joints; the first time also in
    /// the vertices.
    pub fn new(clip: &Clip, options: &Options) -> Self {
        let skeleton = clip.skeleton();
        let joints = skeleton.len();
        let skin = clip.skin();
        let (surface, morphed) = match options.metric {
            ErrorMetric::Skin => {
                let without = Without {
                    meshes: options.left_out.clone(),
                    morphed: skin.parts.iter().map(|p| is_morphed(clip, p)).collect(),
                };
                (skin.surface(joints, &without), Morphed::new(clip, options))
            }
            ErrorMetric::Shell => Default::default(),
        };
        let mut rest = vec![DAffine3::IDENTITY; joints];
        skeleton.model_pose(&skeleton.rest_pose(), &mut rest);
        let mut moves = if surface.is_empty() {
            vec![false; joints]
        } else {
            surface.movers()
        };
        let mut owns: Vec<bool> = (0..joints).map(|j| surface.owns(j)).collect();
        for (joint, _) in morphed.owners() {
            owns[joint] = true;
        }
        for joint in morphed.movers().filter(|&j| j < joints) {
            moves[joint] = true;
        }
        let left = |name: &str| is_left_out(&options.left_out, name);
        let unread = skin.unread.iter().any(|u| !left(&u.name));
        let counts = |j: usize| unread || !moves[j] || options.weights.shell_m(j).is_some();
        let shell = |j: usize| {
            let shell_m = options.weights.shell_m(j).unwrap_or(options.shell_m);
            less_axes(&rest[j]) * (shell_m / options.unit_m)
        };
        Self {
            shells: (0..joints).map(shell).collect(),
            counts: (0..joints).map(counts).collect(),
            owns,
            surface,
            morphed,
            moves,
        }
    }

    /// Whether there are vertices; there are none when shells alone are measured.
    pub fn has_skin(&self) -> bool {
        !self.surface.is_empty() || self.has_morphs()
    }

    /// Whether morph targets move some of the vertices.
    pub fn has_morphs(&self) -> bool {
        !self.morphed.is_empty()
    }

    /// The largest distance that a change of one morph weight by 1 takes a vertex in a pose, source units; 0 without
    /// morphs.
    pub fn longest_morph(&self, model: &[DAffine3]) -> f64 {
        self.morphed.longest_way(model)
    }

    /// What two poses with their float curves differ by, the right one second; metres a source unit, and metres.
    pub(super) fn difference(
        &self,
        got: Shape<'_>,
        want: Shape<'_>,
        unit_m: f64,
        out: &mut Difference,
    ) {
        out.set_joints(got.model, want.model, unit_m);
        out.morphed = if self.has_morphs() {
            self.morphed.displaced(got, want, &out.joints, unit_m)
        } else {
            Vec::new()
        };
    }

    /// How far a joint's shell points are off along its axes, source units of its own space.
    pub fn shell(&self, joint: usize) -> DVec3 {
        self.shells[joint]
    }

    /// Whether any joint's shell counts against the target.
    pub fn counts_shells(&self) -> bool {
        self.counts.contains(&true)
    }

    /// Whether a joint's shell counts against the target.
    pub fn shell_counts(&self, joint: usize) -> bool {
        self.counts[joint]
    }

    /// Whether a joint moves any vertex.
    pub fn moves(&self, joint: usize) -> bool {
        self.moves[joint]
    }

    /// Where a vertex is in the model, source units. Cost: linear in the morphed vertices.
    pub fn place(&self, clip: &Clip, id: VertexId, shape: Shape<'_>) -> DVec3 {
        let part = clip.skin().parts.get(id.part as usize);
        let influences = part.map(|p| p.of_vertex(id.vertex as usize));
        vertex_place(influences.unwrap_or_default(), shape.model) + self.morphed.way(id, shape)
    }

    /// The vertex that is farther off than any other between two poses, the right one second, and by how many metres;
    /// `None` where no vertex counts or none is off. Cost: a fraction of a millisecond.
    pub fn worst_vertex(
        self: &Arc<Self>,
        got: Shape<'_>,
        want: Shape<'_>,
        unit_m: f64,
    ) -> Option<(VertexId, f64)> {
        let mut difference = Difference::default();
        self.difference(got, want, unit_m, &mut difference);
        let mut gauge = self.gauge();
        let vertices = gauge.measure(&difference);
        let vertices = vertices.filter_map(|d| Some((d.vertex?, f64::from(d.skin_m))));
        let worst = vertices.reduce(|a, b| if b.1 > a.1 { b } else { a });
        worst.filter(|w| w.1 > 0.0)
    }

    /// A gauge of its own for each thread.
    pub fn gauge(self: &Arc<Self>) -> BodyGauge {
        BodyGauge {
            look: self.surface.look(),
            farthest: vec![Farthest::default(); self.shells.len()],
            unmorphed: vec![0.0; self.shells.len()],
            body: self.clone(),
        }
    }
}

/// Measures displacements of a body.
#[derive(Clone, Debug)]
pub struct BodyGauge {
    body: Arc<Body>,
    look: Look,
    farthest: Vec<Farthest>,
    /// For each joint the largest displacement of its vertices without morphs.
    unmorphed: Vec<f32>,
}

/// How far what hangs on a joint is displaced, metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Displaced {
    /// The vertices that it moves most; 0 where there is none.
    pub skin_m: f32,
    /// Likewise, as if no morph target moved any.
    pub unmorphed_m: f32,
    /// Its shell.
    pub shell_m: f32,
    /// Its shell where that counts against a target, else 0.
    pub counting_m: f32,
    /// The larger of those that count against a target.
    pub held_m: f32,
    /// The vertex that is displaced most; `None` for a joint that moves none most.
    pub vertex: Option<VertexId>,
}

impl BodyGauge {
    /// For each joint how far it displaces what hangs on it. Where a difference says nothing of morphed vertices, they
    /// move with the joints alone.
    pub fn measure<'a>(
        &'a mut self,
        difference: &'a Difference,
    ) -> impl Iterator<Item = Displaced> + 'a {
        let body = self.body.clone();
        let deltas = &difference.joints;
        if body.surface.is_empty() {
            self.farthest.fill(Farthest::default());
        } else {
            body.surface
                .farthest(&mut self.look, deltas, &mut self.farthest);
        }
        if body.has_morphs() {
            self.add_morphed(difference);
        }
        let with_morphs = body.has_morphs();
        let found = self.farthest.iter().zip(&self.unmorphed).enumerate();
        found
            .zip(deltas)
            .map(move |((joint, (f, &unmorphed_m)), delta)| {
                let shell_m = largest(&shell_points(delta, body.shells[joint])) as f32;
                let counting_m = if body.counts[joint] { shell_m } else { 0.0 };
                Displaced {
                    skin_m: f.error_m,
                    unmorphed_m: if with_morphs { unmorphed_m } else { f.error_m },
                    shell_m,
                    counting_m,
                    held_m: f.error_m.max(counting_m),
                    vertex: body.owns[joint].then_some(f.vertex),
                }
            })
    }

    fn add_morphed(&mut self, difference: &Difference) {
        let morphed = &self.body.morphed;
        for (all, f) in self.unmorphed.iter_mut().zip(&self.farthest) {
            *all = f.error_m;
        }
        let by_joints = morphed.unmorphed(&difference.joints);
        for (k, ((owner, vertex), by_joints)) in morphed.owners().zip(by_joints).enumerate() {
            let whole = difference.morphed.get(k).unwrap_or(&by_joints);
            let error_m = length(*whole);
            let farthest = &mut self.farthest[owner];
            if error_m >= farthest.error_m {
                *farthest = Farthest { error_m, vertex };
            }
            let all = &mut self.unmorphed[owner];
            *all = all.max(length(by_joints));
        }
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

/// Infinite where it is not a number.
fn length(v: DVec3) -> f32 {
    let length = v.length() as f32;
    if length.is_nan() {
        f32::INFINITY
    } else {
        length
    }
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
        assert!((less_axes(&hundredth) - DVec3::splat(100.0)).length() < 1e-9);
        assert_eq!(less_axes(&DAffine3::from_scale(DVec3::ZERO)), DVec3::ONE);
    }
}
