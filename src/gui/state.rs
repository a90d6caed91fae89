//! What the window knows besides the session: selection, playhead, camera and what is shown.

use super::shell::Shell;
use super::stage::Cast;
use crate::codec::Judgement;
use crate::math::Channel;
use crate::metrics::{Contact, ContactSlide, SolePoint};
use crate::model::{Asset, Clip};
use crate::session::{
    Change, ClipId, ClipResult, Command, Curves, Gesture, Session, Trajectory, Transport,
};
use glam::DVec3;
use std::sync::Arc;

/// How source and compressed are compared in the 3D view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Compare {
    /// Side by side.
    #[default]
    Split,
    /// Both in one view.
    Overlay,
}

/// What the window shows between its bars; the inspector is at the right of both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Workspace {
    /// One clip: lists, 3D views and timeline.
    #[default]
    Review,
    /// The table of all clips.
    Clips,
}

/// What the views and the timeline show; kept from one start to the next.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
#[allow(clippy::struct_excessive_bools)] // Each is a menu entry of its own.
pub struct ViewOptions {
    /// One clip, or all of them.
    pub workspace: Workspace,
    /// How the two are compared.
    pub compare: Compare,
    /// Skinned mesh.
    pub mesh: bool,
    /// Textures and vertex colours on the mesh.
    pub textures: bool,
    /// Skeleton.
    pub joints: bool,
    /// Ground grid.
    pub grid: bool,
    /// The ground moves under clips that walk in place.
    pub moving_ground: bool,
    /// The trail of the selected joint.
    pub joint_trail: bool,
    /// The trails of the feet.
    pub foot_trails: bool,
    /// Rows for importance on the timeline; `None` where they have room.
    pub importance: Option<bool>,
    /// The curve of size against error is unfolded, and measured.
    pub size_curve: bool,
    /// Dark text on a light ground.
    pub light: bool,
}

impl ViewOptions {
    /// The word for the colour in which plots draw the source.
    pub fn source_colour(&self) -> &'static str {
        if self.light { "black" } else { "white" }
    }
}

impl Default for ViewOptions {
    fn default() -> Self {
        Self {
            workspace: Workspace::Review,
            compare: Compare::Split,
            mesh: true,
            textures: false,
            joints: true,
            grid: true,
            moving_ground: true,
            joint_trail: false,
            foot_trails: false,
            importance: None,
            size_curve: true,
            light: false,
        }
    }
}

/// What of the selected joint the plot shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Plotted {
    /// The curves of a channel.
    #[default]
    Channel,
    /// How fast it moves over the ground.
    Speed,
    /// How high it is over the ground.
    Height,
}

/// What the curve plot shows.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotOptions {
    /// What is plotted.
    pub plotted: Plotted,
    /// X, Y, Z, W.
    pub components: [bool; 4],
    /// Replay of the fit: how many of its steps have been taken; `None` shows the finished curve.
    pub fit_step: Option<usize>,
    /// The buffer's curve under the compressed one.
    pub buffer: bool,
}

impl Default for PlotOptions {
    fn default() -> Self {
        Self {
            plotted: Plotted::Channel,
            components: [true; 4],
            fit_step: None,
            buffer: true,
        }
    }
}

/// Everything that the panels read and change.
pub struct State {
    /// The open files.
    pub session: Session,
    /// The playhead of the selected clip.
    pub transport: Transport,
    /// Selected joint of the selected clip.
    pub joint: usize,
    /// Channel shown in the plot.
    pub channel: Channel,
    /// Joint under the pointer, in any view or list.
    pub hovered_joint: Option<usize>,
    /// What the 3D views show.
    pub view: ViewOptions,
    /// What the plot shows.
    pub plot: PlotOptions,
    /// What the timeline remembers.
    pub timeline: super::timeline::TimelineState,
    /// What the table of clips remembers.
    pub table: super::clip_table::TableState,
    /// The window's own memory: sheets, filters, drags, the stage.
    pub shell: Shell,
    curves: Option<(CurvesKey, Arc<Curves>)>,
    buffer_curves: Option<(CurvesKey, Arc<Curves>)>,
    trajectories: Vec<(TrajectoryKey, Arc<Trajectory>)>,
    shown_clip: Option<ClipId>,
    shown_asset: Option<Arc<Asset>>,
    /// The joint that was selected by opening a file, until it is measured.
    untouched_joint: Option<usize>,
    gestures: u64,
}

/// What drawn curves depend on. It holds the result, so that no newer one can stand at its address.
struct CurvesKey {
    result: Arc<ClipResult>,
    joint: usize,
    channel: Channel,
}

impl PartialEq for CurvesKey {
    fn eq(&self, other: &Self) -> bool {
        let same_result = Arc::ptr_eq(&self.result, &other.result);
        same_result && (self.joint, self.channel) == (other.joint, other.channel)
    }
}

/// Most trajectories that are kept: those of the feet, their soles and a joint.
const KEPT_TRAJECTORIES: usize = 32;

/// What a trajectory depends on.
struct TrajectoryKey {
    result: Arc<ClipResult>,
    joint: usize,
    offset: DVec3,
}

impl State {
    /// A window over a session.
    pub fn new(session: Session) -> Self {
        Self {
            session,
            transport: Transport::default(),
            joint: 0,
            channel: Channel::Rotation,
            hovered_joint: None,
            view: ViewOptions::default(),
            plot: PlotOptions::default(),
            timeline: super::timeline::TimelineState::default(),
            table: super::clip_table::TableState::default(),
            shell: Shell::default(),
            curves: None,
            buffer_curves: None,
            trajectories: Vec::new(),
            shown_clip: None,
            shown_asset: None,
            untouched_joint: None,
            gestures: 0,
        }
    }

    /// Follows the session's selection: a clip of another skeleton resets joint and playhead.
    pub fn sync(&mut self) {
        self.follow_export();
        if self.shell.picked != self.joint {
            self.shell.picked = self.joint;
            self.shell.also.clear();
        }
        let selected = self.session.selected();
        if selected == self.shown_clip {
            self.start_at_the_worst();
            return;
        }
        let other_file = selected.map(|c| c.document) != self.shown_clip.map(|c| c.document);
        self.shown_clip = selected;
        self.plot.fit_step = None;
        self.shell.tour = None;
        if other_file {
            self.shell.forget_joints();
            self.joint = self.first_moving_joint();
            self.channel = Channel::Rotation;
            self.untouched_joint = Some(self.joint);
        }
        if let Some(clip) = self.clip().cloned() {
            self.transport.go_to(self.transport.frame, &clip.grid());
        }
    }

    /// A file that was exported again: the same joint by name, the same frame.
    fn follow_export(&mut self) {
        let Some(asset) = self.session.selected().and_then(|id| {
            let document = self.session.document(id.document)?;
            Some(document.asset.clone())
        }) else {
            return;
        };
        let before = self.shown_asset.replace(asset.clone());
        let Some(before) = before.filter(|b| !Arc::ptr_eq(b, &asset)) else {
            return;
        };
        if before.path != asset.path {
            return;
        }
        let name = before.skeleton.joints().get(self.joint).map(|j| &j.name);
        let joint = name.and_then(|name| asset.skeleton.find(name));
        self.joint = joint.unwrap_or(0);
        self.hovered_joint = None;
        self.shell.forget_joints();
        if let Some(clip) = self.clip().cloned() {
            self.transport.go_to(self.transport.frame, &clip.grid());
        }
    }

    /// Once a new file's first clip is measured, and nobody has chosen a joint yet, the one with the largest
    /// error is the place to look at.
    fn start_at_the_worst(&mut self) {
        let Some(untouched) = self.untouched_joint else {
            return;
        };
        let Some(result) = self.result().cloned() else {
            return;
        };
        self.untouched_joint = None;
        let worst = result.measured.frames.worst.joint;
        let moving = Channel::ALL
            .into_iter()
            .find(|&c| result.keys(worst, c) > 1);
        if let (true, Some(channel)) = (self.joint == untouched, moving) {
            self.joint = worst;
            self.channel = channel;
        }
    }

    fn first_moving_joint(&self) -> usize {
        self.clip()
            .and_then(|c| c.tracks().first())
            .map_or(0, |t| t.joint)
    }

    /// The selected clip.
    pub fn clip(&self) -> Option<&Arc<Clip>> {
        self.session.clip(self.session.selected()?)
    }

    /// The last finished result of the selected clip.
    pub fn result(&self) -> Option<&Arc<ClipResult>> {
        self.session.result(self.session.selected()?)
    }

    /// How the selected clip stands to its limits.
    pub fn judgement(&self) -> Option<Judgement> {
        self.session.judgement(self.session.selected()?)
    }

    /// The buffer of the selected clip.
    pub fn buffer(&self) -> Option<&Arc<ClipResult>> {
        self.session.buffer(self.session.selected()?)
    }

    /// The buffer of the selected clip, for as long as its key is held.
    pub fn held_buffer(&self) -> Option<&Arc<ClipResult>> {
        self.buffer().filter(|_| self.shell.buffer_held)
    }

    /// The result that the 3D views show.
    pub fn staged_result(&self) -> Option<&Arc<ClipResult>> {
        self.held_buffer().or_else(|| self.result())
    }

    /// Who is in a view now: the source takes the place of all others while its key is held.
    pub fn shown(&self, cast: Cast) -> Cast {
        match cast {
            Cast::Compressed | Cast::Both if self.shell.source_held => Cast::Swapped,
            cast => cast,
        }
    }

    /// Changes the selected clip; changes with one gesture share an undo step.
    pub fn change(&mut self, change: Change, gesture: Option<Gesture>) {
        if let Some(clip) = self.session.selected() {
            self.session
                .dispatch(&Command::Edit { clip, change }, gesture);
        }
    }

    /// The joint that is shown and those that are selected besides, in the order of the skeleton.
    pub fn joints(&self) -> Vec<usize> {
        let mut joints: Vec<usize> = self.shell.also.iter().copied().collect();
        joints.push(self.joint);
        joints.sort_unstable();
        joints.dedup();
        joints
    }

    /// Names of the selected joints.
    pub fn joint_names(&self) -> Vec<String> {
        let Some(clip) = self.clip() else {
            return Vec::new();
        };
        let joints = clip.skeleton().joints();
        let named = self.joints().into_iter().filter_map(|j| joints.get(j));
        named.map(|j| j.name.clone()).collect()
    }

    /// A number for a new drag.
    pub fn new_gesture(&mut self) -> Gesture {
        self.gestures += 1;
        Gesture(self.gestures)
    }

    /// The trajectory of a point of a joint, computed once for each result.
    pub fn trajectory(&mut self, joint: usize, offset: DVec3) -> Option<Arc<Trajectory>> {
        let (clip, result) = (self.clip()?.clone(), self.result()?.clone());
        self.trajectories
            .retain(|(key, _)| Arc::ptr_eq(&key.result, &result));
        let same = |key: &TrajectoryKey| (key.joint, key.offset) == (joint, offset);
        if let Some((_, known)) = self.trajectories.iter().find(|(key, _)| same(key)) {
            return Some(known.clone());
        }
        let made = Arc::new(Trajectory::new(&clip, &result, joint, offset));
        if self.trajectories.len() >= KEPT_TRAJECTORIES {
            self.trajectories.remove(0);
        }
        let key = TrajectoryKey {
            result,
            joint,
            offset,
        };
        self.trajectories.push((key, made.clone()));
        Some(made)
    }

    /// The contacts of the selected clip as they are now: those that a person set, else those that were found.
    pub fn contacts(&self) -> Vec<Contact> {
        let (Some(clip), Some(result)) = (self.clip(), self.result()) else {
            return Vec::new();
        };
        let id = self.session.selected();
        let own = id.and_then(|id| self.session.edits(id)?.contacts.as_ref());
        let list = own.unwrap_or(&result.contacts.list);
        result.contacts.with(list, clip.grid().frames).list
    }

    /// The slide of a contact at any frames, measured on the decoded bytes; `None` where the clip does not have them.
    pub fn slide(&mut self, contact: Contact) -> Option<ContactSlide> {
        let path = self.trajectory(contact.point.joint, contact.point.offset)?;
        let places = (path.source.as_slice(), path.compressed.as_slice());
        let ground = self.result()?.contacts.ground_m_per_s;
        ContactSlide::along(contact, places, path.density, path.rate_hz, ground)
    }

    /// The sole points that a joint moves or carries.
    pub fn soles_of(&self, joint: usize) -> Vec<SolePoint> {
        let points = self.result().map(|r| r.contacts.points.as_slice());
        let own = |p: &&SolePoint| p.joint == joint || p.foot == joint;
        points
            .unwrap_or_default()
            .iter()
            .filter(own)
            .copied()
            .collect()
    }

    /// The curves of the selected joint and channel, computed once for each result.
    pub fn curves(&mut self) -> Option<Arc<Curves>> {
        let result = self.result()?.clone();
        let known = self.curves.take();
        self.curves = self.curves_of(result, known);
        self.curves.as_ref().map(|(_, curves)| curves.clone())
    }

    /// Those of the buffer, likewise.
    pub fn buffer_curves(&mut self) -> Option<Arc<Curves>> {
        let result = self.buffer()?.clone();
        let known = self.buffer_curves.take();
        self.buffer_curves = self.curves_of(result, known);
        self.buffer_curves
            .as_ref()
            .map(|(_, curves)| curves.clone())
    }

    fn curves_of(
        &self,
        result: Arc<ClipResult>,
        known: Option<(CurvesKey, Arc<Curves>)>,
    ) -> Option<(CurvesKey, Arc<Curves>)> {
        let clip = self.clip()?;
        let key = CurvesKey {
            result,
            joint: self.joint,
            channel: self.channel,
        };
        known.filter(|(k, _)| *k == key).or_else(|| {
            let curves = Curves::new(clip, &key.result, key.joint, key.channel);
            Some((key, Arc::new(curves)))
        })
    }
}
