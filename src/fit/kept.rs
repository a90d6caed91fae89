//! Keys that are taken out one after the other.

/// Which keys are still there, as a chain: taking one out costs the same however many there are.
pub(super) struct Kept {
    before: Vec<usize>,
    after: Vec<usize>,
    pub(super) count: usize,
}

impl Kept {
    pub(super) fn new(keys: usize) -> Self {
        Self {
            before: (0..keys).map(|k| k.saturating_sub(1)).collect(),
            after: (0..keys).map(|k| (k + 1).min(keys - 1)).collect(),
            count: keys,
        }
    }

    pub(super) fn remove(&mut self, key: usize) {
        let (before, after) = (self.before[key], self.after[key]);
        self.after[before] = after;
        self.before[after] = before;
        self.count -= 1;
    }

    /// Writes the keys before and after one, up to so many on each side, without itself; answers how many are before
    /// it.
    pub(super) fn around(&self, key: usize, reach: usize, out: &mut Vec<usize>) -> usize {
        out.clear();
        let mut walk = |next: &[usize]| {
            let start = out.len();
            let mut at = key;
            while out.len() - start < reach && next[at] != at {
                at = next[at];
                out.push(at);
            }
            out.len() - start
        };
        let place = walk(&self.before);
        walk(&self.after);
        out[..place].reverse();
        place
    }

    /// All of them.
    pub(super) fn all(&self) -> Vec<usize> {
        let mut all = Vec::with_capacity(self.count);
        self.around(0, usize::MAX, &mut all);
        all.insert(0, 0);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_those_that_are_left() {
        let mut kept = Kept::new(8);
        for key in [3, 4, 1] {
            kept.remove(key);
        }
        let mut around = Vec::new();
        assert_eq!(kept.around(5, 2, &mut around), 2);
        assert_eq!(around, [0, 2, 6, 7]);
        assert_eq!(kept.around(2, 9, &mut around), 1);
        assert_eq!(around, [0, 5, 6, 7]);
        assert_eq!((kept.all(), kept.count), (vec![0, 2, 5, 6, 7], 5));
    }
}
