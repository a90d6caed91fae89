//! Source and player at one time, and what lies between them.

use super::body::{Body, BodyGauge, Displaced};
use super::contacts::{Contacts, Pair, SoleErrors, place_m};
use super::difference::Difference;
use super::measure::Options;
use super::morphed::Shape;
use super::weights::Weights;
use crate::math::Transform;
use crate::model::{Clip, PoseSource};
use glam::DAffine3;
use std::sync::Arc;

/// A pose with all that follows from it.
#[derive(Clone, Debug)]
pub(super) struct Posed {
    pub(super) local: Vec<Transform>,
    pub(super) model: Vec<DAffine3>,
    curves: Vec<f32>,
}

impl Posed {
    fn new(clip: &Clip) -> Self {
        let joints = clip.skeleton().len();
        Self {
            local: vec![Transform::IDENTITY; joints],
            model: vec![DAffine3::IDENTITY; joints],
            curves: vec![0.0; clip.scalars().len()],
        }
    }

    fn at(&mut self, clip: &Clip, of: &mut impl PoseSource, secs: f64, curves: bool) {
        of.pose(secs, &mut self.local);
        clip.skeleton().model_pose(&self.local, &mut self.model);
        if curves {
            of.curves(secs, &mut self.curves);
        }
    }

    /// The same with one joint's local transform as in another pose.
    pub(super) fn with(&self, clip: &Clip, joint: usize, other: &Self) -> Self {
        let mut swapped = self.clone();
        swapped.local[joint] = other.local[joint];
        clip.skeleton()
            .model_pose(&swapped.local, &mut swapped.model);
        swapped
    }

    pub(super) fn shape(&self) -> Shape<'_> {
        Shape {
            model: &self.model,
            curves: &self.curves,
        }
    }
}

/// Poses of source and player at one time, and the displacement between them.
pub(super) struct Probe<'a, P> {
    pub(super) clip: &'a Clip,
    player: P,
    unit_m: f64,
    body: Arc<Body>,
    gauge: BodyGauge,
    weights: &'a Weights,
    pub(super) want: Posed,
    pub(super) got: Posed,
    pub(super) difference: Difference,
}

impl<'a, P: PoseSource> Probe<'a, P> {
    /// Of a clip and a player of it.
    pub(super) fn new(clip: &'a Clip, player: P, options: &'a Options, body: &Arc<Body>) -> Self {
        Self {
            clip,
            player,
            unit_m: options.unit_m,
            body: body.clone(),
            gauge: body.gauge(),
            weights: &options.weights,
            want: Posed::new(clip),
            got: Posed::new(clip),
            difference: Difference::default(),
        }
    }

    /// Goes to a time. Cost: two poses.
    pub(super) fn at(&mut self, secs: f64) {
        let (clip, morphs) = (self.clip, self.body.has_morphs());
        self.want.at(clip, &mut { clip }, secs, morphs);
        self.got.at(clip, &mut self.player, secs, morphs);
        let (got, want) = (self.got.shape(), self.want.shape());
        self.body
            .difference(got, want, self.unit_m, &mut self.difference);
    }

    /// What two poses differ by, the right one second.
    pub(super) fn between(&self, got: &Posed, want: &Posed) -> Difference {
        let mut difference = Difference::default();
        self.body
            .difference(got.shape(), want.shape(), self.unit_m, &mut difference);
        difference
    }

    /// How far each joint displaces what hangs on it.
    pub(super) fn displaced(&mut self) -> impl Iterator<Item = Displaced> + '_ {
        self.gauge.measure(&self.difference)
    }

    /// Adds a row of compressed minus source places of the sole points; nothing where none ever stands.
    pub(super) fn add_sole_errors(&self, contacts: &Contacts, soles: &mut SoleErrors) {
        let place = |model: &[DAffine3], point| place_m(model, point, self.unit_m);
        let error = |point| place(&self.got.model, point) - place(&self.want.model, point);
        soles.errors.extend(contacts.standing().map(error));
    }

    /// Adds a row of the source's places of the sole points.
    pub(super) fn add_soles(&self, contacts: &Contacts, soles: &mut SoleErrors) {
        let place = |point| place_m(&self.want.model, point, self.unit_m);
        soles.source.extend(contacts.standing().map(place));
    }

    /// Adds a row of compressed minus source places of the pairs' points.
    pub(super) fn add_pair_errors(&self, contacts: &Contacts, rows: &mut SoleErrors) {
        let error = |p: &Pair| {
            p.place_m(&self.got.model, self.unit_m) - p.place_m(&self.want.model, self.unit_m)
        };
        rows.errors.extend(contacts.pairs.iter().map(error));
    }

    /// Adds a row of the source's places of the pairs' points.
    pub(super) fn add_pairs(&self, contacts: &Contacts, rows: &mut SoleErrors) {
        let place = |p: &Pair| p.place_m(&self.want.model, self.unit_m);
        rows.source.extend(contacts.pairs.iter().map(place));
    }

    pub(super) fn largest_at(&mut self, secs: f64) -> f64 {
        self.at(secs);
        let frame = self.clip.grid().frame(secs);
        let weights = self.weights;
        let weighed =
            |(joint, d): (usize, Displaced)| f64::from(d.held_m) * weights.between(joint, frame);
        self.displaced()
            .enumerate()
            .map(weighed)
            .fold(0.0, f64::max)
    }
}
