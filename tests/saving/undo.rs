//! Everything can be taken back, and done again.

use super::source::{clip, open, settle, write_source};
use posepress::codec::{Budget, Deliverable, Rule, Settings};
use posepress::math::Channel;
use posepress::session::{Change, Command, Edits, FrameNote, Gesture, Session, Verdict};

/// Steps that are always kept.
const STEPS: usize = 200;

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }

    fn value(&mut self) -> f64 {
        0.001 * (1 + self.below(9)) as f64
    }

    fn change(&mut self) -> Change {
        let channel = Channel::ALL[self.below(3) as usize];
        let joint = |n: u64| ["hips", "foot_l", "tail"][n as usize].to_owned();
        match self.below(14) {
            0 => Change::Budget(Budget::Skin {
                target_m: self.value(),
            }),
            1 => Change::Tolerance(channel, self.value()),
            2 => Change::Override {
                joints: (0..=self.below(3)).map(joint).take(3).collect(),
                channel,
                value: (self.below(2) == 0).then_some(0.002),
            },
            3 => Change::Deliverable(Deliverable::ALL[self.below(4) as usize]),
            4 => Change::Looped(self.below(2) == 0),
            5 => Change::SlideTarget((self.below(2) == 0).then(|| self.value())),
            6 => Change::Rules(self.rules()),
            7 => Change::Settings {
                settings: Box::new(Settings {
                    shell_m: self.value(),
                    ..Settings::default()
                }),
                what: "Paste settings".into(),
            },
            8 => Change::Contacts((self.below(2) == 0).then(Vec::new)),
            9 => Change::Note(FrameNote {
                frame: self.below(6) as usize,
                text: ["", "pops", "slides"][self.below(3) as usize].into(),
            }),
            10 => Change::AdaptiveMargin(self.below(2) == 0),
            11 => Change::Refine(self.below(2) == 0),
            12 => Change::Verdict(Verdict::Open),
            _ => Change::Verdict(Verdict::Rejected {
                note: format!("note {}", self.below(3)),
                of: None,
            }),
        }
    }

    fn rules(&mut self) -> Vec<Rule> {
        let rule = |k: u64| Rule {
            pattern: ["*", "foot_?", "hips"][k as usize].into(),
            subtree: k == 1,
            weight: Some(2.0),
            ..Rule::default()
        };
        (0..self.below(4)).take(3).map(rule).collect()
    }
}

fn edits(s: &Session) -> Edits {
    s.documents()[0].edits.clone()
}

/// Sends a random command; returns whether it changed anything.
fn send(s: &mut Session, random: &mut Random) {
    let gesture = (random.below(4) == 0).then(|| Gesture(random.below(5)));
    if random.below(20) == 0 {
        let unit_m = random.value();
        s.dispatch(
            &Command::SetUnit {
                document: 0,
                unit_m,
            },
            gesture,
        );
        return;
    }
    let clip = clip(random.below(2) as usize);
    let change = random.change();
    s.dispatch(&Command::Edit { clip, change }, gesture);
}

#[test]
fn ten_thousand_random_commands_are_taken_back_and_done_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("w.gltf");
    write_source(&path);
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let mut most = 0;
    for _ in 0..25 {
        let mut s = open(&path);
        let initial = edits(&s);
        for k in 0..400 {
            send(&mut s, &mut random);
            // Now and then somebody goes back a little and takes another way.
            if k % 37 == 0 {
                for _ in 0..random.below(4) {
                    s.undo();
                }
            }
        }
        let last = edits(&s);
        let mut steps = 0;
        while let Some(name) = s.undo_name().map(str::to_owned) {
            assert!(!name.is_empty());
            s.undo();
            assert_eq!(s.redo_name(), Some(name.as_str()));
            steps += 1;
        }
        assert_eq!(edits(&s), initial);
        for _ in 0..steps {
            s.redo();
        }
        assert!(s.redo_name().is_none());
        assert_eq!(edits(&s), last);
        most = most.max(steps);
        settle(&mut s);
    }
    assert!(most > STEPS, "{most} steps");
}

#[test]
fn the_last_steps_are_kept_of_any_number() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("w.gltf");
    write_source(&path);
    let mut s = open(&path);
    let mut states = vec![edits(&s)];
    for k in 0..2000 {
        let text = k.to_string();
        let change = Change::Note(FrameNote { frame: k % 7, text });
        let clip = clip(0);
        s.dispatch(&Command::Edit { clip, change }, None);
        states.push(edits(&s));
    }
    let mut steps = 0;
    while s.undo_name().is_some() {
        s.undo();
        steps += 1;
        assert_eq!(edits(&s), states[states.len() - 1 - steps]);
    }
    assert!(steps >= STEPS, "{steps}");
}
