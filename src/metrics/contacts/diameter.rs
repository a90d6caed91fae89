//! The largest distance between two points of a set in the plane.

use glam::{DVec2, DVec3};

/// Indices of two points that lie farthest apart, and their distance; `None` without points.
///
/// Exact: the convex hull (Andrew's monotone chain, 1979), then its antipodal pairs (Shamos's rotating
/// calipers, 1978). Cost: `n log n`. Points that are not finite give no promise but that it ends.
pub(super) fn diameter(points: &[DVec2]) -> Option<(usize, usize, f64)> {
    let hull = hull(points);
    let &first = hull.first()?;
    let mut best = (first, first, 0.0);
    let mut try_pair = |a: usize, b: usize| {
        let squared = points[a].distance_squared(points[b]);
        if squared > best.2 {
            best = (a, b, squared);
        }
    };
    let n = hull.len();
    let mut far = 1 % n;
    for k in 0..n {
        let (a, b) = (hull[k], hull[(k + 1) % n]);
        let edge = points[b] - points[a];
        let height = |k: usize| edge.perp_dot(points[hull[k % n]] - points[a]);
        // The farthest corner from an edge moves on with the edge, at most once round for all of them.
        let mut steps = 0;
        while steps < n && height(far + 1) > height(far) {
            try_pair(a, hull[far]);
            far = (far + 1) % n;
            steps += 1;
        }
        for corner in [hull[far], hull[(far + 1) % n]] {
            try_pair(a, corner);
            try_pair(b, corner);
        }
    }
    Some((best.0, best.1, best.2.sqrt()))
}

/// The largest distance between two places over the ground; infinite where a place is no number, so that no limit
/// lets it pass.
pub(crate) fn ground_diameter(points: &[DVec2]) -> f64 {
    if !points.iter().all(|p| p.is_finite()) {
        return f64::INFINITY;
    }
    diameter(points).map_or(0.0, |(_, _, length)| length)
}

/// The largest distance between two points of space; infinite where one is no number.
pub(crate) fn space_diameter(points: &[DVec3]) -> f64 {
    if !points.iter().all(|p| p.is_finite()) {
        return f64::INFINITY;
    }
    farthest_pair(points).map_or(0.0, |(a, b)| points[a].distance(points[b]))
}

/// Indices of two points of space that lie farthest apart; `None` without points.
///
/// Exact: of points in the order of their distance from the middle only those pairs are tried that can be farther
/// apart than the best so far. Cost: seldom more than `n log n`, at worst `n` squared.
pub(super) fn farthest_pair(points: &[DVec3]) -> Option<(usize, usize)> {
    let low = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let middle = 0.5 * (low + high);
    let away = points.iter().map(|p| p.distance(middle)).enumerate();
    let mut away: Vec<(usize, f64)> = away.collect();
    away.sort_by(|a, b| b.1.total_cmp(&a.1));
    let first = away.first()?.0;
    let mut best = (first, first, 0.0);
    for (n, &(a, far)) in away.iter().enumerate() {
        if 2.0 * far <= best.2 {
            break;
        }
        for &(b, near) in &away[n + 1..] {
            if far + near <= best.2 {
                break;
            }
            let distance = points[a].distance(points[b]);
            if distance > best.2 {
                best = (a, b, distance);
            }
        }
    }
    Some((best.0, best.1))
}

/// Corners of the convex hull, counter-clockwise, none on an edge or twice.
fn hull(points: &[DVec2]) -> Vec<usize> {
    let place = |&k: &usize| points[k];
    let mut sorted: Vec<usize> = (0..points.len()).collect();
    sorted.sort_by(|a, b| {
        let (a, b) = (place(a), place(b));
        a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y))
    });
    sorted.dedup_by(|a, b| place(a) == place(b));
    if sorted.len() < 3 {
        return sorted;
    }
    let mut corners: Vec<usize> = Vec::new();
    for _ in 0..2 {
        let floor = corners.len();
        for &k in &sorted {
            while corners.len() >= floor + 2 {
                let (a, b) = (
                    place(&corners[corners.len() - 2]),
                    place(&corners[corners.len() - 1]),
                );
                if (b - a).perp_dot(place(&k) - a) > 0.0 {
                    break;
                }
                corners.pop();
            }
            corners.push(k);
        }
        // The end of one side begins the other.
        corners.pop();
        sorted.reverse();
    }
    corners
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_pairs(points: &[DVec2]) -> f64 {
        let mut largest: f64 = 0.0;
        for a in points {
            for b in points {
                largest = largest.max(a.distance(*b));
            }
        }
        largest
    }

    fn of(points: &[DVec2]) -> f64 {
        diameter(points).map_or(0.0, |d| d.2)
    }

    #[test]
    fn the_diameter_of_a_square_is_its_diagonal() {
        let square = [(0.0, 0.0), (1.0, 0.0), (0.4, 0.5), (1.0, 1.0), (0.0, 1.0)];
        let points: Vec<DVec2> = square.iter().map(|&(x, y)| DVec2::new(x, y)).collect();
        let (a, b, length) = diameter(&points).expect("points");
        assert_eq!(length, 2.0_f64.sqrt());
        assert_eq!(points[a].distance(points[b]), length);
    }

    #[test]
    fn few_equal_and_aligned_points_are_fine() {
        assert_eq!(diameter(&[]), None);
        assert_eq!(of(&[DVec2::ONE]), 0.0);
        assert_eq!(of(&[DVec2::ONE; 7]), 0.0);
        assert_eq!(of(&[DVec2::ZERO, DVec2::X]), 1.0);
        let line: Vec<DVec2> = (0..9).map(|k| DVec2::splat(f64::from(k % 5))).collect();
        assert_eq!(of(&line), 32.0_f64.sqrt());
    }

    #[test]
    fn it_is_what_all_pairs_give() {
        let mut state = 7_u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as f64 / (1_u64 << 31) as f64
        };
        for set in 0..3000 {
            let n = 1 + set % 24;
            // Every third set lies on a coarse grid: many equal, aligned and parallel ones.
            let round = |v: f64| if set % 3 == 0 { (v * 4.0).floor() } else { v };
            let points: Vec<DVec2> = (0..n)
                .map(|_| DVec2::new(round(random()), round(random())))
                .collect();
            assert!(
                (of(&points) - all_pairs(&points)).abs() < 1e-12,
                "{points:?}"
            );
        }
    }

    #[test]
    fn a_circle_of_many_corners_is_quick_and_right() {
        let corner = |k: u32| DVec2::from_angle(f64::from(k) * std::f64::consts::TAU / 50_000.0);
        let circle: Vec<DVec2> = (0..50_000).map(corner).collect();
        assert!((of(&circle) - 2.0).abs() < 1e-12);
    }

    #[test]
    fn it_ends_whatever_the_numbers() {
        let odd = [
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            0.0,
            1e308,
            -1e308,
        ];
        let points: Vec<DVec2> = odd
            .iter()
            .flat_map(|&x| odd.iter().map(move |&y| DVec2::new(x, y)))
            .collect();
        let _ = diameter(&points);
    }

    #[test]
    fn the_farthest_pair_is_that_of_trying_all() {
        let mut seed = 7_u64;
        let mut next = || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(99);
            (seed >> 40) as f64 / f64::from(1 << 24)
        };
        for n in 0..40 {
            let points: Vec<DVec3> = (0..n)
                .map(|_| DVec3::new(next(), next(), 0.1 * next()))
                .collect();
            let pairs = points
                .iter()
                .flat_map(|a| points.iter().map(|b| a.distance(*b)));
            let all = pairs.fold(0.0, f64::max);
            assert_eq!(space_diameter(&points), all);
            assert_eq!(farthest_pair(&points).is_none(), n == 0);
        }
        assert_eq!(space_diameter(&[DVec3::ZERO, DVec3::NAN]), f64::INFINITY);
    }
}
