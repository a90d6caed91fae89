//! Which joints are stored again for what is held, and which of them turn for it.

use super::{Held, Staking};
use crate::codec::compact::guide::Over;
use crate::codec::compact::pass::Placed;
use crate::codec::control::Control;

/// Joints above the one that is held, at most, that are stored again for it.
const MOST_ABOVE: usize = 3;

/// What reaches farther than this part of the whole skeleton is a limb; fingers and twists are none.
const LIMB_REACH: f64 = 0.15;

/// A joint can keep a point in its place if that is farther away than this part of the joint's shell.
const LEAST_LEVER: f64 = 0.3;

/// Of a joint's budget, how far the joint over which its point is held may carry that.
const FOLLOWED: f64 = 0.8;

/// A limb with its holds.
pub(super) struct Limb {
    /// Which joints are stored again: the root and all below it.
    pub(super) inside: Vec<bool>,
    /// Joints that do not turn.
    pub(super) rigid: Vec<bool>,
    /// With the joints that turn to keep the point in its place, the nearest first.
    pub(super) holds: Vec<(Held, Vec<usize>)>,
}

impl Staking<'_> {
    /// Limbs that carry holds, and the ends of those that nothing can hold: where no joint turns, or the other joint
    /// would have to follow itself.
    pub(super) fn limbs(&self, placed: &[Option<Placed>]) -> (Vec<Limb>, Vec<usize>) {
        let budgets = self.budgets();
        let rigid = self
            .pass(
                &budgets,
                &self.solved.factors,
                &[],
                &[],
                &[],
                &Control::default(),
            )
            .rigid();
        let at = |j: usize| placed[j].as_ref();
        let over = |held: &Held| self.slide(held, &at) > held.limit;
        // What another joint carries is held for that one's sake.
        let for_others: Vec<Held> = (self.holds.iter())
            .filter(|held| over(held))
            .filter_map(|held| self.carried(held))
            .collect();
        let mut limbs: Vec<(usize, Limb)> = Vec::new();
        let mut unheld = Vec::new();
        for held in for_others.iter().chain(self.holds) {
            let found = self.root(held);
            let found = found.map(|root| (root, self.chain(held, root, &rigid)));
            let Some((root, chain)) = found.filter(|(_, chain)| !chain.is_empty()) else {
                if over(held) && !unheld.contains(&held.end) {
                    unheld.push(held.end);
                }
                continue;
            };
            let entry = (*held, chain);
            match limbs.iter_mut().find(|(r, _)| *r == root) {
                Some((_, limb)) => limb.holds.push(entry),
                None => limbs.push((
                    root,
                    Limb {
                        inside: self.below(root),
                        rigid: rigid.clone(),
                        holds: vec![entry],
                    },
                )),
            }
        }
        let mut limbs: Vec<Limb> = limbs.into_iter().map(|(_, limb)| limb).collect();
        // Whoever follows another joint comes after it.
        limbs.sort_by_key(|limb| {
            limb.holds
                .iter()
                .any(|(h, _)| matches!(h.over, Over::Joint(_)))
        });
        (limbs, unheld)
    }

    /// The hold of the joint over which a point is held: it must not carry the point farther than that can follow.
    fn carried(&self, held: &Held) -> Option<Held> {
        let Over::Joint(other) = held.over else {
            return None;
        };
        let room = FOLLOWED * self.demands.budgets[held.joint];
        room.is_finite().then(|| Held {
            carrier: other,
            end: other,
            over: Over::World,
            limit: room.max(held.limit),
            ..*held
        })
    }

    /// The uppermost joint of the limb that holds a point: the body, from which limbs branch, is not part of it, nor is
    /// the joint over which the point is held; `None` where the limb would be part of that one.
    fn root(&self, held: &Held) -> Option<usize> {
        let joints = &self.source.joints;
        let carries_other = |j: usize| match held.over {
            Over::Joint(other) => {
                let mut above = std::iter::successors(Some(other), |&a| joints[a].parent);
                above.any(|a| a == j)
            }
            _ => false,
        };
        // A root may carry cameras far away.
        let inner = joints.iter().filter(|j| j.parent.is_some());
        let whole = inner.map(|j| j.reach).fold(0.0, f64::max);
        let mut root = held.end;
        if carries_other(root) {
            return None;
        }
        for _ in 0..MOST_ABOVE {
            let Some(above) = joints[root].parent else {
                break;
            };
            let children = joints[above].children.iter();
            let limbs = children.filter(|&&c| joints[c].reach > LIMB_REACH * whole);
            if limbs.count() >= 2 || joints[above].parent.is_none() || carries_other(above) {
                break;
            }
            root = above;
        }
        Some(root)
    }

    fn below(&self, root: usize) -> Vec<bool> {
        let joints = &self.source.joints;
        let mut inside = vec![false; joints.len()];
        inside[root] = true;
        for j in root + 1..joints.len() {
            inside[j] = joints[j].parent.is_some_and(|p| inside[p]);
        }
        inside
    }

    /// The joints that turn to keep a point in its place, the nearest first.
    fn chain(&self, held: &Held, root: usize, rigid: &[bool]) -> Vec<usize> {
        let joints = &self.source.joints;
        let mut chain = Vec::new();
        let mut at = Some(held.carrier);
        while let Some(j) = at {
            let place = joints[held.joint].model[held.frames.0].transform_point3(held.offset);
            let lever = place.distance(self.source.place(j, held.frames.0));
            let far = !chain.is_empty() || lever > LEAST_LEVER * self.demands.shell;
            if far && !rigid[j] && !joints[j].steps[0] {
                chain.push(j);
            }
            at = joints[j].parent.filter(|_| j != root);
        }
        chain
    }
}
