//! Blind tests: can a person's eye tell the compressed clip from its source?
//!
//! In each trial A and B are the source and the compressed clip in an order of their own, and X is one of the two. Who
//! cannot tell them apart is right in half of the trials; how often that many answers are right by guessing alone is
//! the tail of a binomial distribution. This is the ABX test of Munson and Gardner (1950).

use super::document::ClipId;
use super::result::ClipResult;
use super::{Change, Command, Session};
use crate::codec::Budget;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::sync::Arc;

/// Trials of a test.
pub const TRIALS: usize = 10;

/// Tests that are kept of a clip.
pub(super) const MOST_TESTS: usize = 200;

/// What happens by guessing alone in fewer runs than this share was no guessing.
const CHANCE: f64 = 0.05;

/// Who is on the stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// The clip as it was loaded.
    Source,
    /// What the player decodes from the bytes that ship.
    Compressed,
}

/// What a person can switch to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlindButton {
    /// One of the two.
    A,
    /// The other one.
    B,
    /// The same as A or the same as B.
    X,
}

impl BlindButton {
    /// All of them, in their order.
    pub const ALL: [Self; 3] = [Self::A, Self::B, Self::X];

    /// Its letter.
    pub const fn letter(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::X => "X",
        }
    }
}

/// Who is who in a trial.
#[derive(Clone, Copy, Debug)]
struct Trial {
    a: Who,
    x_is_a: bool,
}

/// A test that goes on.
#[derive(Clone, Debug)]
pub struct BlindRun {
    trials: [Trial; TRIALS],
    /// Whether each answer was right.
    answers: Vec<bool>,
}

impl BlindRun {
    /// One in an order that nobody knows, from the seeds that the system gives the hash maps of this process.
    pub fn shuffled() -> Self {
        Self::new(RandomState::new().hash_one(TRIALS))
    }

    /// One in the order of a seed: every trial is drawn by itself, so that none follows from those before.
    pub fn new(seed: u64) -> Self {
        let mut random = SplitMix(seed);
        Self {
            trials: std::array::from_fn(|_| Trial {
                a: if random.coin() {
                    Who::Source
                } else {
                    Who::Compressed
                },
                x_is_a: random.coin(),
            }),
            answers: Vec::new(),
        }
    }

    /// Trials that are answered.
    pub fn answered(&self) -> usize {
        self.answers.len()
    }

    /// Whether all are.
    pub fn is_over(&self) -> bool {
        self.answers.len() >= TRIALS
    }

    /// Answers that were right.
    pub fn correct(&self) -> usize {
        self.answers.iter().filter(|&&right| right).count()
    }

    /// Who is behind a button in the present trial; in the last one when all are answered.
    pub fn who(&self, button: BlindButton) -> Who {
        let trial = self.trials[self.answers.len().min(TRIALS - 1)];
        let is_a = match button {
            BlindButton::A => true,
            BlindButton::B => false,
            BlindButton::X => trial.x_is_a,
        };
        match (is_a, trial.a) {
            (true, a) => a,
            (false, Who::Source) => Who::Compressed,
            (false, Who::Compressed) => Who::Source,
        }
    }

    /// Answers the present trial: X is A, or else it is B. Does nothing once all are answered.
    pub fn answer(&mut self, x_is_a: bool) {
        if let Some(trial) = self.trials.get(self.answers.len()) {
            self.answers.push(trial.x_is_a == x_is_a);
        }
    }
}

/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
struct SplitMix(u64);

impl SplitMix {
    fn coin(&mut self) -> bool {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) >> 63 == 1
    }
}

/// How often at least so many of some answers are right by guessing alone, in `[0, 1]`: exact but for rounding.
/// Cost: linear in `trials`.
pub fn by_guessing(correct: u32, trials: u32) -> f64 {
    // Logarithms, since half to the power of many trials is no number any more.
    let mut ln_share = -f64::from(trials) * std::f64::consts::LN_2;
    let mut sum = 0.0;
    for k in 0..=trials {
        if k >= correct {
            sum += ln_share.exp();
        }
        ln_share += (f64::from(trials - k) / f64::from(k + 1)).ln();
    }
    sum.min(1.0)
}

/// What came of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct BlindTest {
    /// The largest skin error of what was looked at, metres.
    pub error_m: f64,
    /// The target that it was made for, metres; `None` where tolerances were set.
    pub target_m: Option<f64>,
    /// Answers that were right.
    pub correct: u32,
    /// Of so many, at least 1.
    pub trials: u32,
    /// SHA-256 of the source file.
    pub source: [u8; 32],
    /// SHA-256 of the bytes that were looked at, see [`crate::codec::Compressed::hash`].
    pub output: [u8; 32],
}

impl BlindTest {
    /// How often as many answers or more are right by guessing alone.
    pub fn by_guessing(&self) -> f64 {
        by_guessing(self.correct, self.trials)
    }

    /// Whether the difference was seen: so many right answers are hardly guessed.
    pub fn is_seen(&self) -> bool {
        self.by_guessing() <= CHANCE
    }

    /// The skin error target that leads to what was looked at, metres.
    pub fn target_m(&self) -> f64 {
        self.target_m.unwrap_or(self.error_m)
    }
}

/// What the tests of a clip say together. Tests of the same bytes count as one long one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Threshold {
    /// The largest error that was not told apart, below all that were seen.
    pub unseen: Option<BlindTest>,
    /// The smallest error that was seen.
    pub seen: Option<BlindTest>,
    /// The largest error that was not told apart although a smaller or equal one was seen.
    pub against: Option<BlindTest>,
}

impl Threshold {
    /// From all tests of a clip.
    pub fn of(tests: &[BlindTest]) -> Self {
        let (seen, unseen): (Vec<_>, Vec<_>) =
            pooled(tests).into_iter().partition(BlindTest::is_seen);
        let by_error = |a: &BlindTest, b: &BlindTest| a.error_m.total_cmp(&b.error_m);
        let seen = seen.into_iter().min_by(by_error);
        let limit_m = seen.as_ref().map_or(f64::INFINITY, |t| t.error_m);
        let (below, against): (Vec<_>, Vec<_>) =
            unseen.into_iter().partition(|t| t.error_m < limit_m);
        Self {
            unseen: below.into_iter().max_by(by_error),
            seen,
            against: against.into_iter().max_by(by_error),
        }
    }

    /// A target between what is seen and what is not, metres, where there is room for one.
    pub fn between_m(&self) -> Option<f64> {
        let (low, high) = (
            self.unseen.as_ref()?.target_m(),
            self.seen.as_ref()?.target_m(),
        );
        (high > 1.2 * low && low > 0.0).then(|| (low * high).sqrt())
    }

    /// What a preset keeps of it.
    pub fn by_eye(&self) -> Option<ByEye> {
        self.unseen.as_ref().map(|t| ByEye {
            error_m: t.error_m,
            correct: t.correct,
            trials: t.trials,
        })
    }
}

fn pooled(tests: &[BlindTest]) -> Vec<BlindTest> {
    let mut pooled: Vec<BlindTest> = Vec::new();
    for test in tests {
        match pooled.iter_mut().find(|t| t.output == test.output) {
            Some(same) => {
                same.correct += test.correct;
                same.trials += test.trials;
            }
            None => pooled.push(test.clone()),
        }
    }
    pooled
}

/// What a person did not tell apart from the source: what a preset was chosen by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ByEye {
    /// The largest skin error of it, metres.
    pub error_m: f64,
    /// Answers that were right.
    pub correct: u32,
    /// Of so many.
    pub trials: u32,
}

impl Session {
    /// What a blind test of a clip would show; `None` while the bytes are not those of the settings.
    pub fn testable(&self, id: ClipId) -> Option<&Arc<ClipResult>> {
        self.result(id).filter(|_| self.is_solved(id))
    }

    /// Keeps what came of a blind test of a clip's present result, as one step. Returns it.
    pub fn keep_blind_test(&mut self, id: ClipId, run: &BlindRun) -> Option<BlindTest> {
        let result = self.testable(id)?;
        let test = BlindTest {
            error_m: result.largest_error_m(),
            target_m: match result.settings.budget {
                Budget::Skin { target_m } => Some(target_m),
                Budget::Tolerances => None,
            },
            correct: run.correct() as u32,
            trials: run.answered() as u32,
            source: self.document(id.document)?.asset.source_hash,
            output: result.hash,
        };
        let change = Change::BlindTest(test.clone());
        self.dispatch(&Command::Edit { clip: id, change }, None);
        Some(test)
    }

    /// What the blind tests of a clip say.
    pub fn threshold(&self, id: ClipId) -> Threshold {
        let tests = self.edits(id).map(|e| e.blind_tests.as_slice());
        Threshold::of(tests.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guessing_is_an_exact_binomial_tail() {
        // Sums of binomial coefficients over 1024.
        for (correct, ways) in [(0, 1024.0), (5, 638.0), (8, 56.0), (9, 11.0), (10, 1.0)] {
            let expected = ways / 1024.0;
            assert!(
                (by_guessing(correct, 10) - expected).abs() < 1e-12,
                "{correct}"
            );
        }
        assert!((by_guessing(15, 20) - 21_700.0 / 1_048_576.0).abs() < 1e-12);
        assert!((by_guessing(500, 1000) - 0.512_612_5).abs() < 1e-6);
        assert_eq!((by_guessing(0, 0), by_guessing(3, 2)), (1.0, 0.0));
        assert!(by_guessing(5000, 5000).is_finite());
    }

    #[test]
    fn every_order_comes_up_as_often_as_the_others() {
        let (mut a, mut x, mut same, runs) = ([0; TRIALS], [0; TRIALS], 0, 4000);
        for seed in 0..runs {
            let mut run = BlindRun::new(seed);
            let mut before = None;
            for k in 0..TRIALS {
                let who = [BlindButton::A, BlindButton::X].map(|b| run.who(b) == Who::Source);
                a[k] += u64::from(who[0]);
                x[k] += u64::from(who[1]);
                same += u64::from(before == Some(who[1]));
                before = Some(who[1]);
                assert_ne!(run.who(BlindButton::A), run.who(BlindButton::B));
                run.answer(true);
            }
        }
        // Five standard deviations of a fair coin thrown 4000 times.
        let fair =
            |heads: u64, of: u64| (heads as f64 - 0.5 * of as f64).abs() < 2.5 * (of as f64).sqrt();
        assert!(
            a.iter().chain(&x).all(|&heads| fair(heads, runs)),
            "{a:?} {x:?}"
        );
        assert!(
            fair(same, 9 * runs),
            "a trial says nothing about the next one: {same}"
        );
    }

    #[test]
    fn right_and_wrong_answers_are_counted_and_an_end_is_an_end() {
        let mut run = BlindRun::new(7);
        for k in 0..TRIALS {
            assert_eq!((run.answered(), run.is_over()), (k, false));
            let is_a = run.who(BlindButton::X) == run.who(BlindButton::A);
            run.answer(is_a == (k < 4));
        }
        run.answer(true);
        assert_eq!(
            (run.answered(), run.correct(), run.is_over()),
            (TRIALS, 4, true)
        );
        let orders = |seed| {
            let run = BlindRun::new(seed);
            run.trials.map(|t| (t.a == Who::Source, t.x_is_a))
        };
        assert_eq!(orders(3), orders(3));
        assert_ne!(orders(3), orders(4));
        let fresh: Vec<u64> = (0..8)
            .map(|_| RandomState::new().hash_one(TRIALS))
            .collect();
        assert!(
            fresh.windows(2).all(|w| w[0] != w[1]),
            "never the same test twice"
        );
    }

    fn test(error_mm: f64, correct: u32) -> BlindTest {
        BlindTest {
            error_m: error_mm / 1000.0,
            target_m: None,
            correct,
            trials: 10,
            source: [1; 32],
            output: [(10.0 * error_mm) as u8; 32],
        }
    }

    #[test]
    fn nine_of_ten_are_seen_eight_are_not() {
        assert!(test(1.0, 10).is_seen() && test(1.0, 9).is_seen());
        assert!(!test(1.0, 8).is_seen() && !test(1.0, 0).is_seen());
    }

    #[test]
    fn the_threshold_lies_between_what_is_seen_and_what_is_not() {
        assert_eq!(Threshold::of(&[]), Threshold::default());
        let found = Threshold::of(&[test(0.5, 4), test(4.0, 10), test(1.0, 6), test(2.0, 9)]);
        let error = |t: &Option<BlindTest>| t.as_ref().map(|t| t.error_m);
        assert_eq!(
            (error(&found.unseen), error(&found.seen)),
            (Some(0.001), Some(0.002))
        );
        assert_eq!(found.against, None);
        let between = found.between_m().expect("room");
        assert!((between - 0.002_f64.sqrt() * 0.001_f64.sqrt()).abs() < 1e-12);
        assert_eq!(found.by_eye().map(|e| (e.correct, e.trials)), Some((6, 10)));
        let close = Threshold::of(&[test(1.0, 4), test(1.1, 10)]);
        assert_eq!(close.between_m(), None);
    }

    #[test]
    fn tests_that_contradict_each_other_are_told_and_the_smaller_error_counts() {
        let found = Threshold::of(&[test(2.0, 10), test(3.0, 5), test(2.5, 5), test(1.0, 5)]);
        let error = |t: &Option<BlindTest>| t.as_ref().map(|t| t.error_m);
        assert_eq!(
            (error(&found.unseen), error(&found.seen)),
            (Some(0.001), Some(0.002))
        );
        assert_eq!(error(&found.against), Some(0.003));
    }

    #[test]
    fn the_same_bytes_again_make_a_longer_test() {
        // 8 of 10 may be guessed, 16 of 20 hardly.
        assert_eq!(Threshold::of(&[test(1.0, 8)]).seen, None);
        let twice = Threshold::of(&[test(1.0, 8), test(1.0, 8)]);
        assert_eq!(twice.seen.map(|t| (t.correct, t.trials)), Some((16, 20)));
        assert_eq!(twice.unseen, None);
    }
}
