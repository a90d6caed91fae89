use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Lets somebody else watch a long job and stop it. Clones share one state.
#[derive(Clone, Debug, Default)]
pub struct Control {
    cancelled: Arc<AtomicBool>,
    permille: Arc<AtomicU32>,
}

impl Control {
    /// Asks the job to stop at its next check.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the job should stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// How much is done, in `[0, 1]`.
    pub fn progress(&self) -> f32 {
        self.permille.load(Ordering::Relaxed) as f32 / 1000.0
    }

    /// Says how much is done, in `[0, 1]`.
    pub fn report(&self, done: f32) {
        self.permille
            .store((done.clamp(0.0, 1.0) * 1000.0) as u32, Ordering::Relaxed);
    }
}
