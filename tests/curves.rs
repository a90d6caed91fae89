//! Float curves, such as morph weights: fitted, written, decoded from the bytes, measured.

mod support;

use posepress::codec::{
    Compressed, Control, Deliverable, Encoder, Payload, Playback, Settings, WeightKeys,
};
use posepress::metrics;
use posepress::model::{
    Clip, CurveSource as _, Interpolation, Issues, MorphWeight, RawClip, RawCurve, RawScalar,
};
use posepress::runtime::{ClipView, Extent};
use std::sync::Arc;
use support::Rng;
use support::clips::{chain, swing, times};

/// A morph weight of node 7, one of so many that a channel moves.
fn weight(index: usize, of: usize, curve: RawCurve) -> RawScalar {
    RawScalar {
        name: format!("face/weights[{index}]"),
        curve,
        morph: Some(MorphWeight {
            node: 7,
            index,
            of: Some(of),
            value_bytes: 4,
        }),
    }
}

fn sampled(frames: usize, value: impl Fn(f32) -> f32) -> RawCurve {
    let times = times(frames);
    RawCurve {
        interpolation: Interpolation::Linear,
        values: times.iter().map(|&t| value(t)).collect(),
        times,
    }
}

/// A swinging chain beside the curves.
fn clip_with(frames: usize, scalars: Vec<RawScalar>) -> Arc<Clip> {
    let raw = RawClip {
        name: "talk".into(),
        tracks: vec![swing(0, frames), swing(1, frames)],
        scalars,
    };
    Arc::new(Clip::new(chain(2), raw, &mut Issues::default()))
}

/// Fifty-two weights as a face has them: pulses, noise, some that never move.
fn face(frames: usize) -> Arc<Clip> {
    let curve = |i: usize| {
        let (phase, rate) = (i as f32, 1.0 + (i % 7) as f32);
        sampled(frames, move |t| match i % 4 {
            0 => (rate * t + phase).sin().max(0.0),
            1 => 0.5 + 0.3 * (0.7 * rate * t).sin() + 0.01 * (91.0 * t + phase).sin(),
            2 => (1.0 - (2.0 * t - 0.3 * phase).powi(2)).max(0.0),
            _ => 0.0,
        })
    };
    clip_with(frames, (0..52).map(|i| weight(i, 52, curve(i))).collect())
}

fn encode(clip: &Arc<Clip>, settings: &Settings) -> Compressed {
    let mut encoder = Encoder::new(clip.clone(), 1.0, [7; 32]);
    encoder
        .encode(settings, &Control::default())
        .expect("compresses")
}

fn settings(deliverable: Deliverable) -> Settings {
    Settings {
        deliverable,
        ..Settings::default()
    }
}

/// The largest error at frames and own keys, on decoded bytes.
fn largest_error(clip: &Clip, made: &Compressed) -> f64 {
    let mut player = made.player(clip.skeleton()).expect("own bytes decode");
    let errors = metrics::curve_errors(clip, &mut player);
    errors.iter().map(|e| e.held).fold(0.0, f64::max)
}

fn section(made: &Compressed, name: &str) -> usize {
    let sections = made.sections();
    sections.iter().filter(|s| s.0 == name).map(|s| s.1).sum()
}

/// Times once, values as floats.
fn source_bytes(clip: &Clip) -> usize {
    let curves = clip.scalars().iter().map(|s| s.curve.source_bytes() / 2);
    4 * clip.grid().frames + curves.sum::<usize>()
}

#[test]
fn weights_are_held_small_and_counted_in_every_deliverable() {
    let clip = face(120);
    let bare = clip_with(120, Vec::new());
    for deliverable in Deliverable::ALL {
        let made = encode(&clip, &settings(deliverable));
        let error = largest_error(&clip, &made);
        assert!(error <= 0.001, "{deliverable:?}: {error}");
        let bytes = section(&made, "curves");
        let least = encode(&bare, &settings(deliverable)).animation_bytes();
        assert_eq!(made.animation_bytes(), section(&made, "animation") + bytes);
        assert!(made.animation_bytes() >= least + bytes);
        let most = match deliverable {
            // All weights of the face share their keys.
            Deliverable::Universal => source_bytes(&clip),
            _ => source_bytes(&clip) / 10,
        };
        assert!(
            bytes > 100 && bytes <= most,
            "{deliverable:?}: {bytes} of {}",
            source_bytes(&clip)
        );
        println!("{deliverable:?}: {bytes} of {}", source_bytes(&clip));
    }
}

#[test]
fn a_coarser_tolerance_is_smaller_and_the_default_is_not_in_the_json() {
    let clip = face(90);
    let mut last = usize::MAX;
    for weight_tolerance in [0.0001, 0.001, 0.01, 0.1] {
        let settings = Settings {
            weight_tolerance,
            ..Settings::default()
        };
        let made = encode(&clip, &settings);
        assert!(largest_error(&clip, &made) <= weight_tolerance);
        let bytes = section(&made, "curves");
        assert!(bytes < last, "{weight_tolerance}: {bytes}");
        last = bytes;
        let json = serde_json::to_string(&settings).expect("serialises");
        assert_eq!(json.contains("weight_tolerance"), weight_tolerance != 0.001);
    }
}

#[test]
fn still_weights_take_almost_nothing() {
    let still = |value: f32| {
        (0..52)
            .map(|i| weight(i, 52, sampled(60, |_| value)))
            .collect()
    };
    let none = section(
        &encode(&clip_with(60, still(0.0)), &Settings::default()),
        "curves",
    );
    // Name, seven bits a curve, checksum.
    assert!(none <= 80, "{none}");
    let clip = clip_with(60, still(0.3));
    let made = encode(&clip, &Settings::default());
    assert!(
        section(&made, "curves") <= 180,
        "{}",
        section(&made, "curves")
    );
    assert!(largest_error(&clip, &made) <= 0.001);
    assert!(
        made.curve_figures()
            .iter()
            .all(|f| (f.kind, f.keys) == ("constant", 1))
    );
}

/// Blinks: held values, on frames and between them.
#[test]
fn steps_stay_steps_from_the_right_moment_on() {
    for shift in [0.0, 0.3, 0.5, 0.77] {
        let mut times: Vec<f32> = [0.0, 10.0, 14.0, 40.0]
            .map(|f: f32| (f + shift) / 30.0)
            .to_vec();
        times[0] = 0.0;
        let blink = RawCurve {
            interpolation: Interpolation::Step,
            times: times.clone(),
            values: vec![0.0, 1.0, 0.0, 0.5],
        };
        let clip = clip_with(61, vec![weight(0, 1, blink)]);
        for deliverable in Deliverable::ALL {
            let made = encode(&clip, &settings(deliverable));
            let mut player = made.player(clip.skeleton()).expect("own bytes decode");
            let mut at = |secs: f64| {
                let mut out = [9.0];
                player.curves(secs, &mut out);
                f64::from(out[0])
            };
            for (k, (&t, value)) in times.iter().zip([0.0, 1.0, 0.0, 0.5]).enumerate() {
                let before = [0.0, 0.0, 1.0, 0.0][k];
                let frame = 1.0 / 30.0;
                assert!(
                    (at(f64::from(t)) - value).abs() <= 0.001,
                    "{deliverable:?} {shift} {k}"
                );
                let early = at(f64::from(t) - frame / 32.0);
                assert!(
                    t == 0.0 || (early - before).abs() <= 0.001,
                    "{deliverable:?} {shift} {k}"
                );
                let late = at(f64::from(t) + 0.4 * frame);
                assert!((late - value).abs() <= 0.001, "{deliverable:?} {shift} {k}");
            }
        }
    }
}

/// Sharp corners between frames: what lies on frames alone would cut them.
#[test]
fn the_sources_own_keys_between_frames_are_held() {
    let odd = RawCurve {
        interpolation: Interpolation::Linear,
        times: [0.0, 5.37, 5.61, 20.2, 33.9]
            .map(|f: f32| f / 30.0)
            .to_vec(),
        values: vec![0.0, 1.0, 0.2, 0.9, 0.0],
    };
    let clip = clip_with(40, vec![weight(0, 1, odd)]);
    for deliverable in Deliverable::ALL {
        let made = encode(&clip, &settings(deliverable));
        let error = largest_error(&clip, &made);
        assert!(error <= 0.001, "{deliverable:?}: {error}");
    }
}

#[test]
fn cubic_curves_are_held_and_keys_far_apart_are_few() {
    let key = |v: f32, m: f32| [m, v, m];
    let cubic = RawCurve {
        interpolation: Interpolation::Cubic,
        times: [0.0, 0.5, 1.1, 2.0].to_vec(),
        values: [key(0.0, 0.0), key(1.0, 0.0), key(0.3, -1.0), key(0.0, 0.0)].concat(),
    };
    let clip = clip_with(61, vec![weight(0, 1, cubic)]);
    for playback in [Playback::Frames, Playback::Smooth] {
        let settings = Settings {
            playback,
            ..Settings::default()
        };
        let made = encode(&clip, &settings);
        assert!(largest_error(&clip, &made) <= 0.001);
        // Between frames a spline is off at its ends, where it goes along the chord.
        let most = if playback == Playback::Smooth { 80 } else { 40 };
        let f = made.curve_figures()[0];
        assert!(f.bytes <= most, "{playback:?}: {f:?}");
    }
    let made = encode(&clip, &settings(Deliverable::Universal));
    let Payload::Keyframes(k) = &made.payload else {
        panic!("universal has keyframes");
    };
    // Straight lines need more than its four cubic keys: they stay.
    assert!(matches!(
        k.weights[0].keys,
        WeightKeys::Source { bytes: 64, .. }
    ));
    assert!(largest_error(&clip, &made) <= 1e-6);
}

/// Whole numbers, huge and tiny ones, a single frame, no curve at all.
#[test]
fn odd_curves_are_stored_as_well_as_can_be() {
    let large = sampled(40, |t| 1e9 * (3.0 * t).sin());
    let clip = clip_with(40, vec![weight(0, 1, large)]);
    let error = largest_error(&clip, &encode(&clip, &Settings::default()));
    assert!(error <= 1e9 * 1e-6, "{error}");
    let clip = clip_with(1, vec![weight(0, 1, sampled(1, |_| 0.75))]);
    assert!(largest_error(&clip, &encode(&clip, &Settings::default())) <= 0.001);
    let made = encode(&clip_with(30, Vec::new()), &Settings::default());
    assert_eq!(section(&made, "curves"), 0);
}

#[test]
fn every_way_of_asking_gives_the_same_value_and_names_come_back() {
    let clip = face(150);
    for playback in [Playback::Frames, Playback::Smooth] {
        let settings = Settings {
            playback,
            ..Settings::default()
        };
        let made = encode(&clip, &settings);
        let Payload::Container(bytes) = &made.payload else {
            panic!("compact is a container");
        };
        let view = ClipView::from_bytes(bytes.clone()).expect("own bytes decode");
        let names: Vec<String> = view.scalar_names().collect();
        let wanted: Vec<&str> = clip.scalars().iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, wanted);
        let mut rng = Rng(5);
        for _ in 0..300 {
            let secs = rng.unit() * 6.0 - 0.5;
            for extent in [Extent::Clamp, Extent::Wrap] {
                let mut all = [0.0; 52];
                view.scalars(secs, extent, &mut all);
                for (i, &value) in all.iter().enumerate() {
                    let alone = view.scalar(i, secs, extent).expect("there is one");
                    assert_eq!(alone.to_bits(), value.to_bits());
                }
            }
        }
        // Between frames a player that goes by frames shows what lies between them.
        if playback == Playback::Frames {
            let grid = clip.grid();
            for i in 0..52 {
                let at =
                    |f: f64| f64::from(view.scalar(i, grid.secs(f), Extent::Clamp).expect("one"));
                let middle = 0.5 * (at(40.0) + at(41.0));
                assert!((at(40.5) - middle).abs() < 1e-6, "curve {i}");
            }
        }
    }
}
