//! How far held points drift and skin is off when a limb is decoded.

use super::limb::Limb;
use super::{Held, Staking};
use crate::codec::compact::guide::Over;
use crate::codec::compact::pass::Placed;
use crate::codec::compact::solve::part;
use crate::metrics::{Difference, ground_diameter, matrix_difference, space_diameter};
use glam::{DAffine3, DVec2};

impl Staking<'_> {
    /// The most that a hold of a limb uses of its limit.
    pub(super) fn slides(&self, limb: &Limb, placed: &[Option<Placed>]) -> f64 {
        let at = |j: usize| placed[j].as_ref();
        let holds = limb.holds.iter().map(|(h, _)| self.slide(h, &at) / h.limit);
        holds.fold(0.0, f64::max)
    }

    /// Most of the budget that any joint of the limb uses, and what each uses at every frame.
    pub(super) fn skin<'p>(
        &self,
        limb: &Limb,
        placed: &impl Fn(usize) -> Option<&'p Placed>,
    ) -> (f64, Vec<(usize, Vec<f64>)>) {
        let joints = self.source.joints.iter().enumerate();
        let models: Vec<_> = joints
            .map(|(j, s)| placed(j).map(|p| (&p.model, &s.model)))
            .collect();
        let known = (0..models.len()).filter(|&j| limb.inside[j] && models[j].is_some());
        let mut used: Vec<(usize, Vec<f64>)> = known.map(|j| (j, Vec::new())).collect();
        let mut gauge = self.demands.body.gauge();
        let mut off = Difference::default();
        off.joints = vec![DAffine3::ZERO; models.len()];
        for f in 0..self.source.frames {
            for (delta, models) in off.joints.iter_mut().zip(&models) {
                if let Some((got, want)) = models {
                    *delta = matrix_difference(&got[f], &want[f], 1.0);
                }
            }
            let displaced: Vec<f32> = gauge.measure(&off).map(|d| d.held_m).collect();
            for (j, used) in &mut used {
                let budget = self.demands.budgets[*j] * part(&self.demands.parts[*j], f);
                used.push(f64::from(displaced[*j]) / budget);
            }
        }
        let all = used.iter().flat_map(|(_, u)| u.iter().copied());
        (all.fold(0.0, f64::max), used)
    }

    /// The largest distance between two errors of a held point.
    pub(super) fn slide<'p>(
        &self,
        held: &Held,
        placed: &impl Fn(usize) -> Option<&'p Placed>,
    ) -> f64 {
        let Some(got) = placed(held.carrier) else {
            return 0.0;
        };
        let source = &self.source.joints;
        let (first, last) = held.frames;
        let place = |m: &DAffine3| m.transform_point3(held.offset);
        let was = |f: usize| place(&source[held.joint].model[f]);
        let is = |f: usize| {
            if held.carrier == held.joint {
                return place(&got.model[f]);
            }
            let carrier = &source[held.carrier].model[f];
            let seen = carrier.inverse().transform_point3(was(f));
            got.model[f].transform_point3(seen)
        };
        let frames = first..=last;
        match held.over {
            Over::Ground => {
                let off = frames.map(|f| is(f) - was(f));
                ground_diameter(&off.map(|e| DVec2::new(e.x, e.z)).collect::<Vec<_>>())
            }
            Over::World => space_diameter(&frames.map(|f| is(f) - was(f)).collect::<Vec<_>>()),
            Over::Joint(other) => {
                let Some(now) = placed(other) else {
                    return 0.0;
                };
                let before = &source[other];
                let off = frames.map(|f| {
                    let is = is(f) - now.model[f].translation;
                    let was = was(f) - before.model[f].translation;
                    now.turn[f].inverse() * is - before.turn[f].inverse() * was
                });
                space_diameter(&off.collect::<Vec<_>>())
            }
        }
    }
}
