//! From handles to joints: spine, legs and arms, rotations and places in the world.

use super::controls::{Arm, Foot, Hold, Stage, Tilt};
use super::rig::{
    ARM, BALL, CALF, CALF_TWIST, CLAVICLE, FINGERS, FOOT, HAND, HEAD, IK_FOOT, IK_FOOT_ROOT,
    IK_HAND, IK_HAND_GUN, IK_HAND_ROOT, JOINTS, LOWERARM, LOWERARM_TWIST, NECK, PALM, PELVIS, ROOT,
    SIDE, SPINE_01, SPINE_03, THIGH, THIGH_TWIST, THUMB, UPPERARM, UPPERARM_TWIST, WEAPON,
    finger_axis, grip, in_hand, mirrored, offset, parent,
};
use super::trig::turn;
use glam::{DMat3, DQuat, DVec3};

/// Share of its full length to which a limb may stretch: the elbow or knee stays 3.6 degrees bent.
const FULL_STRETCH: f64 = 0.9995;

/// All joints in the world.
#[derive(Clone)]
pub struct Pose {
    pub rotation: [DQuat; JOINTS],
    pub place: [DVec3; JOINTS],
}

impl Pose {
    /// Sets every joint; `pelvis` is its place in the world.
    pub fn new(stage: &Stage, pelvis: DVec3) -> Self {
        let mut pose = Self {
            rotation: [DQuat::IDENTITY; JOINTS],
            place: [DVec3::ZERO; JOINTS],
        };
        pose.place[ROOT] = stage.root;
        pose.rotation[ROOT] = turn(DVec3::Y, stage.root_yaw);
        pose.trunk(stage, pelvis);
        for (s, side) in [0, SIDE].into_iter().enumerate() {
            pose.leg(side, &stage.feet[s], stage.heading);
            match &stage.holds {
                Some(holds) => pose.held_arm(side, &stage.upper.arms[s], &holds[s]),
                None => pose.free_arm(side, &stage.upper.arms[s]),
            }
            pose.fingers(side, &stage.upper.arms[s]);
        }
        pose.set_local(WEAPON, DQuat::IDENTITY);
        pose.handles();
        pose
    }

    /// Rotation relative to the parent.
    pub fn local_rotation(&self, joint: usize) -> DQuat {
        let q = self.rotation[joint];
        parent(joint).map_or(q, |p| self.rotation[p].conjugate() * q)
    }

    /// Place relative to the parent.
    pub fn local_place(&self, joint: usize) -> DVec3 {
        let Some(p) = parent(joint) else {
            return self.place[joint];
        };
        self.rotation[p].conjugate() * (self.place[joint] - self.place[p])
    }

    /// Everything moved alike.
    pub fn moved(mut self, by: DVec3) -> Self {
        for place in &mut self.place {
            *place += by;
        }
        self
    }

    /// The same pose with the root where `other` has its own.
    pub fn carried_to(&self, other: &Self) -> Self {
        let turned = other.rotation[ROOT] * self.rotation[ROOT].conjugate();
        let mut out = self.clone();
        for j in 0..JOINTS {
            out.place[j] = other.place[ROOT] + turned * (self.place[j] - self.place[ROOT]);
            out.rotation[j] = turned * self.rotation[j];
        }
        out
    }

    /// Sets a joint's rotation in the world; its place follows from the parent.
    fn set(&mut self, joint: usize, rotation: DQuat) {
        let p = parent(joint).unwrap_or(ROOT);
        self.place[joint] = self.place[p] + self.rotation[p] * offset(joint);
        self.rotation[joint] = rotation.normalize();
    }

    fn set_local(&mut self, joint: usize, rotation: DQuat) {
        let p = parent(joint).unwrap_or(ROOT);
        self.set(joint, self.rotation[p] * rotation);
    }

    /// Pelvis, spine, neck and head; each part of the way takes its share of the turn.
    fn trunk(&mut self, stage: &Stage, pelvis: DVec3) {
        let heading = turn(DVec3::Y, stage.heading);
        let upper = &stage.upper;
        self.place[PELVIS] = pelvis;
        self.rotation[PELVIS] = heading * upper.hips.rotation();
        let mut part = |joint: usize, from: &Tilt, to: &Tilt, share: f64| {
            self.set(joint, heading * from.mix(to, share).rotation());
        };
        for (joint, share) in (SPINE_01..=SPINE_03).zip([0.3, 0.68, 1.0]) {
            part(joint, &upper.hips, &upper.chest, share);
        }
        part(NECK, &upper.chest, &upper.head, 0.45);
        part(HEAD, &upper.chest, &upper.head, 1.0);
    }

    /// Bends a leg so that its ankle stands where it is wanted; the knee points between foot and body.
    fn leg(&mut self, side: usize, foot: &Foot, heading: f64) {
        let (thigh, calf) = (THIGH + side, CALF + side);
        self.set(thigh, self.rotation[PELVIS]);
        let knee_yaw = heading + 0.7 * (foot.yaw - heading);
        let hinge = turn(DVec3::Y, knee_yaw) * DVec3::X;
        let bend = two_bones(self.place[thigh], foot.ankle(), lengths(calf), hinge);
        self.set(thigh, aim(offset(calf), DVec3::X, bend.upper, bend.hinge));
        self.set(
            calf,
            aim(offset(FOOT + side), DVec3::X, bend.lower, bend.hinge),
        );
        self.set(
            FOOT + side,
            turn(DVec3::Y, foot.yaw) * turn(DVec3::X, foot.pitch),
        );
        self.set_local(BALL + side, turn(DVec3::X, foot.toe));
        let roll = twist(self.local_rotation(thigh), offset(calf).normalize());
        self.set_local(THIGH_TWIST + side, half(roll.conjugate()));
        let roll = twist(
            self.local_rotation(FOOT + side),
            offset(FOOT + side).normalize(),
        );
        self.set_local(CALF_TWIST + side, half(roll));
    }

    /// An arm by its angles.
    fn free_arm(&mut self, side: usize, arm: &Arm) {
        self.clavicle(side, arm);
        let hang = turn(DVec3::X, -arm.swing) * turn(DVec3::Z, arm.lift - 45.0);
        self.set_sided(UPPERARM, side, hang * turn(ARM, arm.twist));
        self.set_sided(LOWERARM, side, turn(PALM, arm.bend));
        let wrist = turn(-DVec3::Z, arm.flex) * turn(PALM, arm.tilt);
        self.set_sided(HAND, side, turn(ARM, arm.pronate) * wrist);
        self.arm_twists(side);
    }

    /// An arm whose hand is held: two bones from shoulder to wrist.
    fn held_arm(&mut self, side: usize, arm: &Arm, hold: &Hold) {
        let (upper, lower) = (UPPERARM + side, LOWERARM + side);
        self.clavicle(side, arm);
        self.set(upper, self.rotation[CLAVICLE + side]);
        let shoulder = self.place[upper];
        let along = hold.wrist - shoulder;
        let hinge = hold.elbow.cross(along);
        let bend = two_bones(shoulder, hold.wrist, lengths(lower), hinge);
        let bent_about = if side == 0 { PALM } else { -mirrored(PALM) };
        self.set(
            upper,
            aim(offset(lower), bent_about, bend.upper, bend.hinge),
        );
        self.set(
            lower,
            aim(offset(HAND + side), bent_about, bend.lower, bend.hinge),
        );
        self.set(HAND + side, hold.rotation);
        self.arm_twists(side);
    }

    fn clavicle(&mut self, side: usize, arm: &Arm) {
        let local = turn(DVec3::Z, arm.shrug) * turn(DVec3::Y, -arm.reach);
        self.set_sided(CLAVICLE, side, local);
    }

    fn arm_twists(&mut self, side: usize) {
        let along = sided(ARM, side);
        let roll = twist(self.local_rotation(UPPERARM + side), along);
        self.set_local(UPPERARM_TWIST + side, half(roll.conjugate()));
        let roll = twist(self.local_rotation(HAND + side), along);
        self.set_local(LOWERARM_TWIST + side, half(roll));
    }

    fn fingers(&mut self, side: usize, arm: &Arm) {
        // A relaxed hand closes from the little finger on; a fist closes all alike.
        const RELAXED: [f64; 4] = [0.72, 0.95, 1.12, 1.3];
        const FAN: [f64; 4] = [9.0, 2.0, -5.0, -13.0];
        const FULL: [f64; 3] = [72.0, 88.0, 55.0];
        let fist = arm.curl.clamp(0.0, 1.0);
        for finger in 0..4 {
            let share = RELAXED[finger] + (1.0 - RELAXED[finger]) * fist;
            let fan = FAN[finger] * (arm.spread + 0.15) * (1.0 - fist);
            for (k, full) in FULL.iter().enumerate() {
                let sideways = if k == 0 {
                    turn(PALM, fan)
                } else {
                    DQuat::IDENTITY
                };
                let bent = turn(-DVec3::Z, full * share * arm.curl);
                self.set_sided(FINGERS + 3 * finger + k, side, sideways * bent);
            }
        }
        let flexes = finger_axis(4)
            .cross(in_hand([0.2, -0.9, -0.35]))
            .normalize();
        let opposed = turn(ARM, 30.0 * fist) * turn(PALM, 14.0 * arm.spread - 14.0 * fist);
        self.set_sided(THUMB, side, opposed);
        self.set_sided(THUMB + 1, side, turn(flexes, 6.0 + 30.0 * arm.curl));
        self.set_sided(THUMB + 2, side, turn(flexes, 4.0 + 46.0 * arm.curl));
    }

    /// The handles that game engines read: copies of feet and hands.
    fn handles(&mut self) {
        for joint in [IK_FOOT_ROOT, IK_HAND_ROOT] {
            self.set_local(joint, DQuat::IDENTITY);
        }
        let copies = [
            (IK_FOOT[0], FOOT),
            (IK_FOOT[1], FOOT + SIDE),
            (IK_HAND_GUN, HAND + SIDE),
            (IK_HAND[0], HAND),
            (IK_HAND[1], HAND + SIDE),
        ];
        for (handle, joint) in copies {
            self.place[handle] = self.place[joint];
            self.rotation[handle] = self.rotation[joint];
        }
    }

    /// Sets a joint by the local rotation that it has on the left.
    fn set_sided(&mut self, joint: usize, side: usize, left: DQuat) {
        let local = if side == 0 { left } else { reflected(left) };
        self.set_local(joint + side, local);
    }
}

/// Place of a hip joint in the world.
pub fn hip(pelvis: DVec3, rotation: DQuat, side: usize) -> DVec3 {
    pelvis + rotation * offset(THIGH + side)
}

/// Full length of a leg from hip to ankle.
pub fn leg_length() -> f64 {
    offset(CALF).length() + offset(FOOT).length()
}

/// Where a hand's wrist is when its grip is at `place`.
pub fn wrist_of_grip(place: DVec3, rotation: DQuat, side: usize) -> DVec3 {
    place - rotation * sided(grip(), side)
}

/// A vector of the left side on either one.
fn sided(left: DVec3, side: usize) -> DVec3 {
    if side == 0 { left } else { mirrored(left) }
}

/// A rotation of the left side on the right one.
fn reflected(q: DQuat) -> DQuat {
    DQuat::from_xyzw(q.x, -q.y, -q.z, q.w)
}

/// Lengths of the two bones before and after an elbow or knee; a twist joint stands between it and the end.
fn lengths(lower: usize) -> [f64; 2] {
    [offset(lower).length(), offset(lower + 2).length()]
}

/// Two bones, bent: the way each one points, and the axis about which the lower one is turned.
struct Bend {
    upper: DVec3,
    lower: DVec3,
    hinge: DVec3,
}

/// Two-bone inverse kinematics: the law of cosines in the plane square to `hinge`.
fn two_bones(from: DVec3, to: DVec3, [upper, lower]: [f64; 2], hinge: DVec3) -> Bend {
    let reach = (to - from).length().min((upper + lower) * FULL_STRETCH);
    let down = (to - from).normalize();
    let hinge = (hinge - down * hinge.dot(down)).normalize();
    let along = (upper * upper - lower * lower + reach * reach) / (2.0 * reach);
    let out = (upper * upper - along * along).max(0.0).sqrt();
    let middle = down * along + down.cross(hinge) * out;
    Bend {
        upper: middle.normalize(),
        lower: (down * reach - middle).normalize(),
        hinge,
    }
}

/// The rotation that leads a bone and an axis nearly square to it to a direction and a hinge square to that.
fn aim(bone: DVec3, axis: DVec3, direction: DVec3, hinge: DVec3) -> DQuat {
    let frame = |x: DVec3, y: DVec3| DMat3::from_cols(x, y, x.cross(y));
    let bone = bone.normalize();
    let axis = (axis - bone * axis.dot(bone)).normalize();
    let from = frame(axis, bone);
    let to = frame(hinge, direction);
    DQuat::from_mat3(&(to * from.transpose())).normalize()
}

/// The part of a rotation that is about `axis`.
fn twist(q: DQuat, axis: DVec3) -> DQuat {
    let along = axis * axis.dot(DVec3::new(q.x, q.y, q.z));
    let q = DQuat::from_xyzw(along.x, along.y, along.z, q.w);
    let q = if q.w < 0.0 { -q } else { q };
    let length = q.length();
    if length > 1e-6 {
        q / length
    } else {
        DQuat::IDENTITY
    }
}

fn half(q: DQuat) -> DQuat {
    (q + DQuat::IDENTITY).normalize()
}

#[cfg(test)]
mod tests {
    use super::super::controls::Upper;
    use super::*;

    fn stage() -> Stage {
        let foot = |x: f64| Foot {
            x,
            y: 0.085,
            z: 0.05,
            yaw: 10.0,
            ..Foot::default()
        };
        let hold = |x: f64| Hold {
            wrist: DVec3::new(x, 1.1, 0.35),
            rotation: turn(DVec3::Y, 40.0),
            elbow: DVec3::NEG_Y,
        };
        Stage {
            root: DVec3::ZERO,
            over: DVec3::ZERO,
            root_yaw: 0.0,
            heading: 20.0,
            feet: [foot(0.1), foot(-0.1)],
            upper: Upper::default(),
            holds: Some([hold(0.15), hold(-0.15)]),
        }
    }

    #[test]
    fn limbs_reach_where_they_should_and_keep_their_length() {
        let stage = stage();
        let pose = Pose::new(&stage, DVec3::Y * 0.9);
        for (s, side) in [0, SIDE].into_iter().enumerate() {
            let hold = &stage.holds.expect("hands hold")[s];
            assert!((pose.place[FOOT + side] - stage.feet[s].ankle()).length() < 1e-12);
            assert!((pose.place[HAND + side] - hold.wrist).length() < 1e-12);
            let elbow = pose.place[LOWERARM + side];
            let middle = (pose.place[UPPERARM + side] + hold.wrist) / 2.0;
            assert!(elbow.y < middle.y - 0.02, "the elbow hangs");
            let knee = pose.place[CALF + side];
            let middle = (pose.place[THIGH + side] + pose.place[FOOT + side]) / 2.0;
            assert!(knee.z > middle.z + 0.02, "the knee points ahead");
        }
        for joint in 1..JOINTS {
            let apart = (pose.local_place(joint) - offset(joint)).length();
            assert!(
                super::super::rig::travels(joint) || apart < 1e-12,
                "{joint}"
            );
        }
    }

    #[test]
    fn both_sides_mirror_each_other() {
        let mut stage = Stage {
            holds: None,
            heading: 0.0,
            ..stage()
        };
        stage.feet[1].yaw = -10.0;
        stage.upper.arms = [Arm {
            swing: 30.0,
            lift: 20.0,
            twist: 10.0,
            bend: 40.0,
            curl: 0.4,
            ..Arm::default()
        }; 2];
        let pose = Pose::new(&stage, DVec3::Y * 0.9);
        for joint in CLAVICLE..CLAVICLE + SIDE {
            let apart = mirrored(pose.place[joint]) - pose.place[joint + SIDE];
            assert!(apart.length() < 1e-12, "{joint}");
        }
    }

    #[test]
    fn a_twist_is_the_turn_about_the_bone() {
        let q = turn(DVec3::X, 50.0) * turn(DVec3::Y, 34.0);
        let found = twist(q, DVec3::Y);
        assert!(found.dot(turn(DVec3::Y, 34.0)).abs() > 1.0 - 1e-12);
        assert!(half(found).dot(turn(DVec3::Y, 17.0)).abs() > 1.0 - 1e-12);
    }
}
