//! Mouse control of a view.

use super::{BoneSet, Bounds, OrbitCamera, pick};
use eframe::egui::{Id, Modifiers, PointerButton, Pos2, Rect, Response, Sense, Ui, Vec2};
use glam::{DAffine3, DVec2};

/// Zoom for each point that the wheel scrolls or the mouse is dragged.
const ZOOM_PER_POINT: f64 = 0.0035;

/// What a drag does to the camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gesture {
    /// Turns about the target.
    Orbit,
    /// Moves sideways.
    Pan,
    /// Goes nearer or away.
    Zoom,
}

/// The gesture of a button with modifiers: the habits of Blender and Maya side by side.
///
/// Orbit: left, middle, Alt + left. Pan: right, Shift or Alt + middle, Shift + left. Zoom: Alt + right,
/// Ctrl + middle.
pub fn gesture(button: PointerButton, modifiers: Modifiers) -> Option<Gesture> {
    match button {
        PointerButton::Primary if modifiers.shift => Some(Gesture::Pan),
        PointerButton::Middle if modifiers.shift || modifiers.alt => Some(Gesture::Pan),
        PointerButton::Middle if modifiers.command => Some(Gesture::Zoom),
        PointerButton::Primary | PointerButton::Middle => Some(Gesture::Orbit),
        PointerButton::Secondary if modifiers.alt => Some(Gesture::Zoom),
        PointerButton::Secondary => Some(Gesture::Pan),
        PointerButton::Extra1 | PointerButton::Extra2 => None,
    }
}

/// What was under a click.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// This joint.
    Joint(usize),
    /// The background.
    Nothing,
}

/// What a view shows, as far as the mouse is concerned.
#[derive(Clone, Copy)]
pub struct ViewTarget<'a> {
    /// `model_from_joint` of the body that is picked from.
    pub pose: &'a [DAffine3],
    /// Its bones.
    pub bones: &'a BoneSet,
    /// What a double click frames.
    pub frame: Bounds,
}

/// What happened in a view.
pub struct ViewResponse {
    /// egui's own answer, for tooltips and accessible names.
    pub response: Response,
    /// The joint under the pointer, while no button is held.
    pub hovered_joint: Option<usize>,
    /// What a click hit.
    pub clicked: Option<Pick>,
    /// Whether the camera moved.
    pub camera_changed: bool,
    /// Whether a drag is going on, for [`super::Motion::Moving`].
    pub dragging: bool,
}

/// Lets the mouse over `rect` move `camera` and point at joints.
///
/// Views whose cameras are linked are given the same camera one after the other.
pub fn view_ui(
    ui: &Ui,
    rect: Rect,
    id: Id,
    camera: &mut OrbitCamera,
    target: &ViewTarget<'_>,
) -> ViewResponse {
    let response = ui.interact(rect, id, Sense::click_and_drag());
    let before = *camera;
    let size = points(rect.size());
    drag(ui, &response, camera, size);
    scroll(ui, &response, camera, rect);
    if response.double_clicked() {
        camera.frame(&target.frame, size.x / size.y.max(1.0));
    }
    let at = |p: Pos2| {
        pick(
            points(p - rect.min),
            size,
            camera,
            target.pose,
            target.bones,
        )
    };
    let hovered_joint = match response.hover_pos() {
        Some(p) if !response.dragged() => at(p),
        _ => None,
    };
    let clicked = (response.clicked() && !response.double_clicked())
        .then(|| response.interact_pointer_pos().and_then(at))
        .map(|joint| joint.map_or(Pick::Nothing, Pick::Joint));
    ViewResponse {
        hovered_joint,
        clicked,
        camera_changed: *camera != before,
        dragging: response.dragged(),
        response,
    }
}

fn drag(ui: &Ui, response: &Response, camera: &mut OrbitCamera, size: DVec2) {
    let buttons = [
        PointerButton::Primary,
        PointerButton::Middle,
        PointerButton::Secondary,
    ];
    let Some(button) = buttons.into_iter().find(|&b| response.dragged_by(b)) else {
        return;
    };
    let delta = points(response.drag_delta());
    let modifiers = ui.input(|i| i.modifiers);
    match gesture(button, modifiers) {
        Some(Gesture::Orbit) => camera.orbit(delta),
        Some(Gesture::Pan) => camera.pan(delta, size.y),
        Some(Gesture::Zoom) => {
            let factor = (-(delta.x - delta.y) * ZOOM_PER_POINT).exp();
            camera.zoom(factor, 0.5 * size, size);
        }
        None => {}
    }
}

fn scroll(ui: &Ui, response: &Response, camera: &mut OrbitCamera, rect: Rect) {
    let Some(pointer) = response.hover_pos() else {
        return;
    };
    let (wheel, pinch) = ui.input(|i| (i.smooth_scroll_delta().y, i.zoom_delta()));
    let factor = (-f64::from(wheel) * ZOOM_PER_POINT).exp() / f64::from(pinch);
    if factor != 1.0 {
        camera.zoom(factor, points(pointer - rect.min), points(rect.size()));
    }
}

fn points(v: Vec2) -> DVec2 {
    DVec2::new(f64::from(v.x), f64::from(v.y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::model::{Joint, Skeleton};
    use eframe::egui;
    use glam::DVec3;

    #[test]
    fn blender_and_maya_users_find_their_buttons() {
        use Gesture::{Orbit, Pan, Zoom};
        let none = Modifiers::NONE;
        let cases = [
            (PointerButton::Primary, none, Orbit),
            (PointerButton::Primary, Modifiers::ALT, Orbit),
            (PointerButton::Middle, none, Orbit),
            (PointerButton::Middle, Modifiers::SHIFT, Pan),
            (PointerButton::Middle, Modifiers::ALT, Pan),
            (PointerButton::Secondary, none, Pan),
            (PointerButton::Secondary, Modifiers::ALT, Zoom),
        ];
        for (button, modifiers, expected) in cases {
            assert_eq!(gesture(button, modifiers), Some(expected), "{button:?}");
        }
        assert_eq!(gesture(PointerButton::Extra1, none), None);
    }

    /// One repaint of a view of 200 x 200 points in which these events happen.
    fn repaint(
        context: &egui::Context,
        camera: &mut OrbitCamera,
        target: &ViewTarget<'_>,
        events: Vec<egui::Event>,
    ) -> ViewResponse {
        let rect = Rect::from_min_size(Pos2::ZERO, Vec2::splat(200.0));
        let raw = egui::RawInput {
            screen_rect: Some(rect),
            events,
            ..egui::RawInput::default()
        };
        let mut answer = None;
        let mut output = context.run_ui(raw, |ui| {
            answer = Some(view_ui(ui, rect, Id::unique("view"), camera, target));
        });
        // Nobody paints here; egui wants its textures taken all the same.
        output.textures_delta.set.drain().for_each(drop);
        output.textures_delta.free.drain().for_each(drop);
        answer.unwrap()
    }

    fn button(pos: Pos2, pressed: bool) -> egui::Event {
        egui::Event::PointerButton {
            pos,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        }
    }

    #[test]
    fn dragging_orbits_and_clicking_picks() {
        let joint = |parent, y: f64| Joint {
            name: String::new(),
            parent,
            rest: Transform {
                translation: DVec3::new(0.0, y, 0.0),
                ..Transform::IDENTITY
            },
            source_index: 0,
        };
        let skeleton = Skeleton::new(vec![joint(None, 0.0), joint(Some(0), 1.0)]).unwrap();
        let pose = [DAffine3::IDENTITY, DAffine3::from_translation(DVec3::Y)];
        let target = ViewTarget {
            pose: &pose,
            bones: &BoneSet::new(&skeleton, 1.0),
            frame: Bounds::new(DVec3::ZERO, DVec3::Y),
        };
        let mut camera = OrbitCamera::framing(&target.frame, 1.0);
        let context = egui::Context::default();
        let middle = egui::pos2(100.0, 100.0);
        let moved = |to| vec![egui::Event::PointerMoved(to)];
        repaint(&context, &mut camera, &target, moved(middle));
        let over = repaint(&context, &mut camera, &target, moved(middle));
        assert_eq!((over.hovered_joint, over.camera_changed), (Some(0), false));
        repaint(&context, &mut camera, &target, vec![button(middle, true)]);
        let up = repaint(&context, &mut camera, &target, vec![button(middle, false)]);
        assert_eq!(up.clicked, Some(Pick::Joint(0)));

        let corner = egui::pos2(15.0, 15.0);
        repaint(&context, &mut camera, &target, moved(corner));
        repaint(&context, &mut camera, &target, vec![button(corner, true)]);
        let yaw = camera.yaw_rad;
        let drag = moved(egui::pos2(65.0, 15.0));
        let during = repaint(&context, &mut camera, &target, drag);
        assert!(during.dragging && during.camera_changed && during.hovered_joint.is_none());
        assert!((yaw - camera.yaw_rad - 50.0 * 0.008).abs() < 1e-6);
        let end = vec![button(egui::pos2(65.0, 15.0), false)];
        let end = repaint(&context, &mut camera, &target, end);
        assert_eq!((end.clicked, end.dragging), (None, false));
    }
}
