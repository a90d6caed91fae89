//! What the curve of size against error takes, against one full result of the same run; and whether a drag feels it.
//!
//! Everything goes through a session, as in the window. Read the ratios: the machine is noisy.

use posepress::codec::Budget;
use posepress::import::{self, LoadOptions};
use posepress::session::{Change, ClipId, Command, Gesture, Session};
use std::path::Path;
use std::time::{Duration, Instant};

/// Times that something is measured; the median counts.
const ROUNDS: usize = 7;

/// The curve is under way for so long before a drag begins.
const HEAD_START: Duration = Duration::from_millis(150);

fn session(clip: &str) -> Session {
    let bytes = include_bytes!("../assets/mannequin.glb");
    let asset = import::load_bytes(Path::new("m.glb"), bytes, &LoadOptions::default());
    let mut asset = asset.expect("loads");
    let at = asset.clips.iter().position(|c| c.name() == clip);
    let at = at.expect("a bundled clip");
    asset.clips = vec![asset.clips[at].clone()];
    asset.animation_index = vec![asset.animation_index[at]];
    let mut session = Session::new(|| {});
    session.add(asset);
    wait(&mut session, |s| s.busy_clips() == 0);
    session
}

fn wait(session: &mut Session, done: impl Fn(&Session) -> bool) -> Duration {
    let start = Instant::now();
    while !done(session) {
        session.poll();
        std::thread::sleep(Duration::from_micros(200));
    }
    start.elapsed()
}

fn id() -> ClipId {
    ClipId::default()
}

fn set_target(session: &mut Session, target_m: f64, gesture: Option<Gesture>) {
    let change = Change::Budget(Budget::Skin { target_m });
    session.dispatch(&Command::Edit { clip: id(), change }, gesture);
}

fn full(session: &mut Session, target_m: f64) -> Duration {
    set_target(session, target_m, None);
    wait(session, |s| !s.is_busy(id()))
}

/// From the first movement of a drag to the draft that it shows.
fn first_draft(session: &mut Session, target_m: f64) -> Duration {
    let before = session.result(id()).cloned().expect("a result");
    set_target(session, target_m, Some(Gesture(1)));
    wait(session, |s| {
        s.result(id()).is_some_and(|r| r.hash != before.hash)
    })
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn curve_of(clip: &str) {
    let mut s = session(clip);
    let one = median(
        (0..3)
            .map(|k| full(&mut s, 0.0011 + 0.0001 * f64::from(k)))
            .collect(),
    );
    full(&mut s, 0.001);
    s.want_size_curve(true);
    let whole = wait(&mut s, |s| {
        let curve = s.size_curve(id()).expect("a curve");
        curve.progress(0.001) == (11, 11)
    });
    let ratio = whole.as_secs_f64() / one.as_secs_f64();
    println!(
        "size_curve/{clip}: 10 points besides the present one in {whole:.2?}, {ratio:.1} times one full result of {one:.2?}"
    );
}

fn drag_of(clip: &str) {
    let mut s = session(clip);
    let mut times: [Vec<Duration>; 2] = Default::default();
    for k in 0..2 * ROUNDS as u32 {
        let measured = k % 2 == 1;
        s.want_size_curve(false);
        // Other settings each time, so that the curve begins anew.
        let command = Command::Edit {
            clip: id(),
            change: Change::Looped(k % 4 < 2),
        };
        s.dispatch(&command, None);
        full(&mut s, 0.001);
        s.want_size_curve(measured);
        std::thread::sleep(HEAD_START);
        s.poll();
        assert_eq!(s.is_measuring_sizes(), measured, "the curve takes longer");
        // Another target each time: one that is in the buffer is shown at once.
        let target_m = 0.0013 + 0.00001 * f64::from(k);
        times[usize::from(measured)].push(first_draft(&mut s, target_m));
        s.want_size_curve(false);
        wait(&mut s, |s| !s.is_busy(id()));
    }
    let [without, with] = times.map(median);
    let ratio = with.as_secs_f64() / without.as_secs_f64();
    println!(
        "first_draft/{clip}: {with:.1?} when it stops the curve, {without:.1?} without, {ratio:.2}"
    );
}

fn main() {
    for clip in ["Walk", "Long_661"] {
        curve_of(clip);
        drag_of(clip);
    }
}
