//! The worst moments of a clip one after the other: contacts by added slide, then joints by skin error.

use super::state::State;
use super::timeline::navigation;
use crate::model::Clip;
use crate::session::{ClipResult, units};

/// Joints that follow after the contacts.
const JOINTS: usize = 10;

/// A moment to look at.
#[derive(Clone, Debug, PartialEq)]
struct Stop {
    joint: usize,
    /// The foot, where it is a contact.
    foot: Option<usize>,
    frame: usize,
    text: String,
}

/// Goes to the next worse or next better moment, round and round, and frames its joint in all views.
pub fn step(state: &mut State, by: isize) {
    let Some((clip, result)) = state.clip().cloned().zip(state.result().cloned()) else {
        return;
    };
    let stops = stops(&clip, &result);
    let count = stops.len() as isize;
    if count == 0 {
        return;
    }
    let at = match state.shell.tour {
        Some(at) => (at as isize + by).rem_euclid(count),
        None if by < 0 => count - 1,
        None => 0,
    };
    let stop = &stops[at as usize];
    state.shell.tour = Some(at as usize);
    state.joint = stop.joint;
    if let Some(foot) = stop.foot {
        state.shell.inset = Some(foot);
    }
    state.plot.fit_step = None;
    navigation::go_to(state, stop.frame as f64);
    state.shell.stage.frame_joint_next(stop.joint);
    state.shell.happened = format!("Worst moment {} of {count}: {}", at + 1, stop.text);
}

fn stops(clip: &Clip, result: &ClipResult) -> Vec<Stop> {
    let name = |joint: usize| &clip.skeleton().joints()[joint].name;
    let contacts = result.worst_slides().into_iter().map(|s| {
        let point = s.contact.point;
        let added = units::show_mm(result.added_m(&s));
        let (joint, frame) = (point.joint, s.worst_frame);
        let text = format!(
            "{} {}, {added} of added slide, frame {frame}",
            name(joint),
            point.part.name()
        );
        Stop {
            joint,
            foot: Some(point.foot),
            frame,
            text,
        }
    });
    let mut joints: Vec<usize> = (0..result.measured.joints.len()).collect();
    let error = |joint: usize| result.measured.joints[joint];
    joints.sort_by(|&a, &b| error(b).max_m.total_cmp(&error(a).max_m));
    let joints = joints.into_iter().take(JOINTS).map(|joint| {
        let (frame, max) = (error(joint).frame, units::show_mm(error(joint).max_m));
        let text = format!("{}, {max} of skin error, frame {frame}", name(joint));
        Stop {
            joint,
            foot: None,
            frame,
            text,
        }
    });
    contacts.chain(joints).collect()
}
