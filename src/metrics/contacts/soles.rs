//! Which points of a skeleton stand on the ground, from names, else from the shape of the rest pose.
//!
//! Where they are on their joints follows from the rest pose, in which feet usually stand flat.

use super::names::{Part, is_control, part};
use crate::model::{Clip, PoseSource as _, Skeleton};
use glam::{DAffine3, DVec3};
use serde::Serialize;

/// A joint lower than this share of the leg is at the sole; a higher one has its sole below it.
const AT_SOLE: f64 = 0.08;

/// An ankle higher than this share of the leg is no heel ...
const HIGHEST_ANKLE: f64 = 0.2;

/// ... unless it is no higher than this many lengths of the foot: else the animal walks on its toes.
const STEEPEST_FOOT: f64 = 1.5;

/// A root at most this share of the height below the feet is the ground that they stand on.
const ROOT_BELOW: f64 = 0.25;

/// A foot this much higher than the lowest one, in legs, is held up in the rest pose: many files hold the first
/// frame of a clip there.
const HELD_UP: f64 = 0.06;

/// Most poses of a clip that are looked at for one in which such a foot stands.
const MOST_POSES: usize = 2000;

/// How far the heel reaches behind the ankle, as a share of the way from the ankle to the ball.
const HEEL_BEHIND: f64 = 1.0 / 3.0;

/// A joint this far from the ankle over the ground, as a share of the leg, can be the ball.
const BALL_AWAY: f64 = 0.04;

/// Feet by shape: end effectors within this share of the height above the lowest one ...
const LOW_END: f64 = 0.08;

/// ... that hang from a joint above this share.
const HANGS_FROM: f64 = 0.3;

/// Most feet by name, so that a file of nothing but feet does not take all time.
const MOST_NAMED: usize = 256;

/// Most feet by shape: what has more low ends has no feet.
const MOST_FEET: usize = 12;

/// Where on a foot a sole point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SolePart {
    /// Below the ankle and somewhat behind it.
    Heel,
    /// Where the toes begin; the foot turns on it when it leaves the ground.
    Ball,
}

impl SolePart {
    /// `"heel"` or `"ball"`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Heel => "heel",
            Self::Ball => "ball",
        }
    }
}

/// A point of the skeleton that may stand on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolePoint {
    /// The uppermost joint of its foot.
    pub foot: usize,
    /// The joint that moves it.
    pub joint: usize,
    /// Heel or ball.
    pub part: SolePart,
    /// Where it is in the joint's space, source units.
    pub offset: DVec3,
}

/// What stands, and the measures of the body that it carries.
#[derive(Clone, Debug, Default)]
pub(super) struct Soles {
    /// Grouped by foot, in the order of joints.
    pub points: Vec<SolePoint>,
    /// Height of each point over the ground in the rest pose, source units.
    pub rest: Vec<f64>,
    /// Height of the ground in the rest pose, source units.
    pub ground: f64,
    /// Height of the hips over the ground in the rest pose, source units.
    pub leg: f64,
    /// The joint from which all legs hang.
    pub body: Option<usize>,
}

/// Hierarchy and a pose: the rest pose, or one of a clip.
#[derive(Clone)]
struct Posed<'a> {
    skeleton: &'a Skeleton,
    model: Vec<DAffine3>,
    parts: Vec<Option<Part>>,
}

impl Soles {
    /// Finds the soles. Cost: linear in the joints times the depth of the skeleton, and some poses of the clip
    /// where the rest pose holds a foot up.
    pub(super) fn find(clip: &Clip, also: &[String]) -> Self {
        let rest = Posed::rest(clip.skeleton());
        let mut feet = rest.named_feet();
        if feet.is_empty() {
            feet = rest.feet_by_shape();
        }
        feet.extend(rest.told_feet(&feet, also));
        feet.sort_unstable();
        if feet.is_empty() {
            return Self::default();
        }
        let ground = rest.ground(&feet);
        let height = rest.top() - ground;
        let hips = feet.iter().flat_map(|&f| rest.ancestors(f));
        let leg = hips.map(|j| rest.y(j) - ground).fold(0.0, f64::max);
        let leg = if leg > 0.2 * height {
            leg
        } else {
            0.5 * height
        };
        if !(leg > 0.0 && leg.is_finite()) {
            return Self::default();
        }
        let body = rest.common_ancestor(&feet);
        let lowest = feet.iter().map(|&f| rest.y(f));
        let lowest = lowest.fold(f64::INFINITY, f64::min);
        let up = |f: &usize| rest.y(*f) > lowest + HELD_UP * leg;
        let held_up: Vec<usize> = feet.iter().copied().filter(up).collect();
        feet.extend(rest.front_feet(&feet, ground + HIGHEST_ANKLE * leg));
        feet.sort_unstable();
        let found = feet.iter().flat_map(|&foot| {
            if held_up.contains(&foot) {
                let posed = rest.where_lowest(clip, foot);
                let ground = posed.y(foot) - (lowest - ground);
                posed.points(foot, ground, leg)
            } else {
                rest.points(foot, ground, leg)
            }
        });
        let (points, rest): (Vec<SolePoint>, Vec<f64>) = found.unzip();
        Self {
            points,
            rest,
            ground,
            leg,
            body,
        }
    }
}

impl<'a> Posed<'a> {
    fn rest(skeleton: &'a Skeleton) -> Self {
        let mut model = vec![DAffine3::IDENTITY; skeleton.len()];
        skeleton.model_pose(&skeleton.rest_pose(), &mut model);
        let joints = skeleton.joints().iter();
        Self {
            skeleton,
            model,
            parts: joints.map(|j| part(&j.name)).collect(),
        }
    }

    /// The pose of a clip in which a foot is lowest, ankle and toes together.
    fn where_lowest(&self, clip: &Clip, foot: usize) -> Self {
        let grid = clip.grid();
        let (mut player, mut locals) = (clip, self.skeleton.rest_pose());
        let (mut posed, mut best) = (self.clone(), self.clone());
        let inside = self.subtree(foot);
        let mut least = f64::INFINITY;
        for frame in (0..grid.frames).step_by(grid.frames.div_ceil(MOST_POSES)) {
            player.pose(grid.secs(frame as f64), &mut locals);
            self.skeleton.model_pose(&locals, &mut posed.model);
            let height = inside.iter().map(|&j| posed.y(j)).sum();
            if height < least {
                least = height;
                best.model.clone_from(&posed.model);
            }
        }
        best
    }

    fn y(&self, joint: usize) -> f64 {
        self.model[joint].translation.y
    }

    fn top(&self) -> f64 {
        let heights = (0..self.model.len()).map(|j| self.y(j));
        heights.fold(f64::NEG_INFINITY, f64::max)
    }

    fn parent(&self, joint: usize) -> Option<usize> {
        self.skeleton.joints()[joint].parent
    }

    /// From the parent up.
    fn ancestors(&self, joint: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.parent(joint), |&j| self.parent(j))
    }

    /// The joint and all below it.
    fn subtree(&self, joint: usize) -> Vec<usize> {
        let mut inside = vec![false; self.model.len()];
        inside[joint] = true;
        for j in joint + 1..self.model.len() {
            inside[j] = self.parent(j).is_some_and(|p| inside[p]);
        }
        (joint..inside.len()).filter(|&j| inside[j]).collect()
    }

    /// The uppermost joints that are called feet; toes where there is no foot above them.
    fn named_feet(&self) -> Vec<usize> {
        let is_part = |j: usize| matches!(self.parts[j], Some(Part::Foot | Part::Toe));
        let joints = 0..self.model.len();
        let uppermost = joints.filter(|&j| is_part(j) && !self.ancestors(j).any(is_part));
        let alone = |j: &usize| {
            // A ball without a foot is a thing to play with.
            let name = self.skeleton.joints()[*j].name.to_lowercase();
            self.parts[*j] == Some(Part::Foot) || name.contains("toe")
        };
        uppermost.filter(alone).take(MOST_NAMED).collect()
    }

    /// The joints with some names that are not part of a foot already.
    fn told_feet(&self, feet: &[usize], also: &[String]) -> Vec<usize> {
        let joints = self.skeleton.joints();
        let told = (0..joints.len()).filter(|&j| also.contains(&joints[j].name));
        let told: Vec<usize> = told.filter(|j| !feet.contains(j)).collect();
        let inside = |j: usize| {
            self.ancestors(j)
                .any(|a| feet.contains(&a) || told.contains(&a))
        };
        told.iter().copied().filter(|&j| !inside(j)).collect()
    }

    /// Hands that stand, at or below a height.
    fn front_feet(&self, feet: &[usize], highest: f64) -> Vec<usize> {
        let is_hand = |j: usize| self.parts[j] == Some(Part::Hand);
        let inside = |j: usize| self.ancestors(j).any(|a| is_hand(a) || feet.contains(&a));
        let joints = 0..self.model.len();
        let hands = joints.filter(|&j| is_hand(j) && !inside(j));
        let stands = |&j: &usize| self.lowest(j) <= highest;
        hands.filter(stands).collect()
    }

    /// Low end effectors of long limbs, each from its lowest joint that is no leg any more.
    fn feet_by_shape(&self) -> Vec<usize> {
        let mut is_end = vec![true; self.model.len()];
        for p in (0..is_end.len()).filter_map(|j| self.parent(j)) {
            is_end[p] = false;
        }
        let usable = |&j: &usize| is_end[j] && !is_control(&self.skeleton.joints()[j].name);
        let bottom = (0..is_end.len()).map(|j| self.y(j));
        let bottom = bottom.fold(f64::INFINITY, f64::min);
        let height = self.top() - bottom;
        let hangs = |&j: &usize| {
            let mut above = self.ancestors(j);
            above.any(|a| self.y(a) > bottom + HANGS_FROM * height)
        };
        let limbs: Vec<usize> = (0..is_end.len()).filter(usable).filter(hangs).collect();
        let lowest = limbs
            .iter()
            .map(|&j| self.y(j))
            .fold(f64::INFINITY, f64::min);
        let low = |j: usize, share: f64| self.y(j) <= lowest + share * height;
        let limbs = limbs.into_iter().filter(|&j| low(j, LOW_END));
        let uppermost = |end: usize| {
            let foot = self.ancestors(end).take_while(|&a| low(a, 1.5 * LOW_END));
            foot.last().unwrap_or(end)
        };
        let mut feet: Vec<usize> = limbs.map(uppermost).collect();
        feet.sort_unstable();
        feet.dedup();
        if (2..=MOST_FEET).contains(&feet.len()) {
            feet
        } else {
            Vec::new()
        }
    }

    fn lowest(&self, joint: usize) -> f64 {
        let heights = self.subtree(joint).into_iter().map(|j| self.y(j));
        heights.fold(f64::INFINITY, f64::min)
    }

    /// The height on which the feet stand: their lowest joint, or a root a little below it.
    fn ground(&self, feet: &[usize]) -> f64 {
        let lowest = feet.iter().map(|&f| self.lowest(f));
        let lowest = lowest.fold(f64::INFINITY, f64::min);
        let reach = ROOT_BELOW * (self.top() - lowest);
        let roots = feet.iter().flat_map(|&f| self.ancestors(f));
        let below = roots.map(|j| self.y(j)).filter(|&y| y > lowest - reach);
        below.fold(lowest, f64::min)
    }

    /// The lowest joint above all of them.
    fn common_ancestor(&self, feet: &[usize]) -> Option<usize> {
        let (&first, others) = feet.split_first()?;
        let above_all = |a: &usize| others.iter().all(|&f| self.ancestors(f).any(|x| x == *a));
        self.ancestors(first).find(above_all)
    }

    /// Heel and ball of a foot, as far as it has them, each with its height over the ground.
    fn points(&self, foot: usize, ground: f64, leg: f64) -> Vec<(SolePoint, f64)> {
        let ball = self.ball(foot, ground, leg);
        let height = self.y(foot) - ground;
        let length = ball.map_or(0.0, |b| self.away(foot, b.joint));
        let ankle_is_low = height <= (HIGHEST_ANKLE * leg).max(STEEPEST_FOOT * length);
        let is_toe = self.parts[foot] == Some(Part::Toe);
        let heel = (!is_toe && (ankle_is_low || ball.is_none())).then(|| SolePoint {
            foot,
            joint: foot,
            part: SolePart::Heel,
            offset: self.heel(foot, ball.map(|b| b.joint), ground),
        });
        let height = |p: &SolePoint| self.model[p.joint].transform_point3(p.offset).y - ground;
        let points = heel.into_iter().chain(ball);
        points.map(|p| (p, height(&p))).collect()
    }

    /// The first joint that lies low and away from the ankle, else the first that is called a toe.
    fn ball(&self, foot: usize, ground: f64, leg: f64) -> Option<SolePoint> {
        let away = |j: usize| self.away(foot, j) >= BALL_AWAY * leg;
        let is_heel = |j: usize| {
            self.skeleton.joints()[j]
                .name
                .to_lowercase()
                .contains("heel")
        };
        let at_sole = |j: usize| self.y(j) - ground <= AT_SOLE * leg;
        let inside = self.subtree(foot);
        let named = |&&j: &&usize| self.parts[j] == Some(Part::Toe);
        let shaped = |&&j: &&usize| j != foot && at_sole(j) && away(j) && !is_heel(j);
        let toe = inside.iter().find(shaped);
        let toe = *toe.or_else(|| inside.iter().find(named))?;
        let low = self.subtree(toe).into_iter().find(|&j| at_sole(j));
        let (joint, offset) = match low {
            Some(joint) => (joint, DVec3::ZERO),
            None => (toe, self.below(toe, DVec3::ZERO, ground)),
        };
        Some(SolePoint {
            foot,
            joint,
            part: SolePart::Ball,
            offset,
        })
    }

    /// Distance of two joints over the ground.
    fn away(&self, a: usize, b: usize) -> f64 {
        let d = self.model[b].translation - self.model[a].translation;
        d.x.hypot(d.z)
    }

    /// The back edge of the sole, in the foot's space: below the ankle, and behind it where the ball says what is
    /// behind.
    fn heel(&self, foot: usize, ball: Option<usize>, ground: f64) -> DVec3 {
        let back = ball.map_or(DVec3::ZERO, |ball| {
            (self.model[foot].translation - self.model[ball].translation) * HEEL_BEHIND
        });
        self.below(foot, back, ground)
    }

    /// The point on the ground below a joint or beside it, in the joint's space.
    fn below(&self, joint: usize, aside: DVec3, ground: f64) -> DVec3 {
        let place = self.model[joint].translation + aside;
        let offset = self.model[joint]
            .inverse()
            .transform_point3(DVec3::new(place.x, ground, place.z));
        if offset.is_finite() {
            offset
        } else {
            DVec3::ZERO
        }
    }
}
