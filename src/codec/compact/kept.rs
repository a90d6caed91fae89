//! Joints that are kept where they are held.

use super::gauge::{Form, Gauge};
use super::guide::Guide;
use super::joint::Stored;
use super::pass::{MOVE_PART, Pass, Placed, unsquashed};
use super::solve::part;
use super::source::largest_axis;
use glam::{DMat3, DVec3};

impl Pass<'_> {
    /// A translation that keeps the joint where it is held, and elsewhere is about the source's.
    pub(super) fn kept_translation(
        &self,
        j: usize,
        parent: &Placed,
        guides: &[Guide],
    ) -> Option<(Stored, Vec<DVec3>)> {
        let joint = &self.source.joints[j];
        let off = |f: usize| {
            parent.model[f].transform_point3(joint.local[f].translation)
                - joint.model[f].translation
        };
        let guides = self.beside(j, guides, off);
        let target = self.budgets[j] * self.scale * self.share(j) * MOVE_PART;
        let cap = self.caps[j][1];
        let mut aimed = Vec::with_capacity(self.source.frames);
        let mut forms = Vec::with_capacity(2 * self.source.frames);
        for f in 0..self.source.frames {
            let own = joint.local[f].translation;
            let linear = parent.model[f].matrix3;
            let target = target * self.factors[j][f] * part(&self.parts[j], f);
            let target = target.min(cap) / largest_axis(&parent.model[f]).max(1e-9);
            forms.push(Form::of(DMat3::from_diagonal(DVec3::splat(1.0 / target))));
            // Of guides that meet the strictest counts.
            let guided = guides.iter().filter_map(|(g, b)| g.at(self.source, b, f));
            let strictest = guided.min_by(|a, b| a.radius.total_cmp(&b.radius));
            let (Some(guided), Some(inverse)) = (strictest, unsquashed(&parent.model[f])) else {
                aimed.push(own);
                forms.push(Form::default());
                continue;
            };
            let missing = guided.seen * (guided.wanted - off(f));
            aimed.push(own + inverse * missing);
            forms.push(Form::of(guided.seen * linear * (1.0 / guided.radius)));
        }
        let gauge = Gauge::forms(2, forms);
        self.store_translation(j, &aimed, gauge)
    }

    /// Guides with the places, compressed less source, at which they hold.
    pub(super) fn beside<'g>(
        &self,
        j: usize,
        guides: &'g [Guide],
        off: impl Fn(usize) -> DVec3,
    ) -> Vec<(&'g Guide, Vec<DVec3>)> {
        let over = |joint: usize| self.outside(joint);
        let beside = |g: &'g Guide| (g, g.beside(self.source, self.budgets[j], &off, over));
        guides.iter().map(beside).collect()
    }
}
