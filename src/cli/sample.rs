use super::args::{SampleArgs, SpaceArg};
use super::{Failure, npy, open};
use crate::codec::Player;
use crate::math::Transform;
use crate::model::{Clip, FrameGrid, PoseSource};
use crate::storage;
use glam::DAffine3;

/// What of a skeleton is needed to lay out poses.
struct Layout {
    parents: Vec<Option<usize>>,
    /// Joints in the order of the source file.
    order: Vec<usize>,
}

/// Writes poses at `first key + m / (rate_mul * rate)`, joints in the order of the source's nodes.
pub(super) fn run(args: &SampleArgs) -> Result<(), Failure> {
    let (values, shape) = if open::is_container(&args.file) {
        let player = open::container(&args.file)?;
        let (layout, grid) = container_layout(&args.file, &player)?;
        sample(player, &layout, &grid, args)
    } else {
        let asset = open::source(&args.file, args.unit)?;
        let clip = &asset.clips[open::clip_index(&asset, args.clip.as_deref())?];
        let joints = clip.skeleton().joints();
        let layout = Layout::new(
            joints.iter().map(|j| j.parent).collect(),
            joints.iter().map(|j| j.source_index).collect(),
        );
        let source: &Clip = clip;
        sample(source, &layout, &clip.grid(), args)
    };
    let mut bytes = Vec::new();
    npy::write(&mut bytes, &shape, &values)?;
    storage::replace(&args.output, &bytes, |_| Ok(())).map_err(Failure::unwritable)
}

impl Layout {
    fn new(parents: Vec<Option<usize>>, source: Vec<usize>) -> Self {
        let mut order: Vec<usize> = (0..source.len()).collect();
        order.sort_by_key(|&j| source[j]);
        Self { parents, order }
    }
}

fn container_layout(
    path: &std::path::Path,
    player: &Player,
) -> Result<(Layout, FrameGrid), Failure> {
    let fail = |text: &str| Failure::unreadable(format!("{}: {text}", path.display()));
    let Player::Container { view, .. } = player else {
        return Err(fail("not a container"));
    };
    let joints = view.skeleton().ok_or_else(|| {
        fail("it carries no skeleton, so its joints cannot be put in order; sample the source")
    })?;
    let layout = Layout::new(
        joints.iter().map(|j| j.parent.map(usize::from)).collect(),
        joints.iter().map(|j| j.source_index as usize).collect(),
    );
    let info = view.info();
    let grid = FrameGrid {
        start_secs: info.start_secs,
        rate_hz: info.rate_hz,
        frames: info.frames as usize,
    };
    Ok((layout, grid))
}

fn sample(
    mut player: impl PoseSource,
    layout: &Layout,
    grid: &FrameGrid,
    args: &SampleArgs,
) -> (Vec<f32>, [usize; 4]) {
    let joints = layout.parents.len();
    let instants = grid.last() * args.rate_mul as usize + 1;
    let mut values = Vec::with_capacity(instants * joints * 12);
    let mut locals = vec![Transform::IDENTITY; joints];
    let mut matrices = vec![DAffine3::IDENTITY; joints];
    for m in 0..instants {
        player.pose(grid.secs(m as f64 / f64::from(args.rate_mul)), &mut locals);
        for j in 0..joints {
            let local = locals[j].matrix();
            matrices[j] = match (args.space, layout.parents[j]) {
                (SpaceArg::Model, Some(p)) => matrices[p] * local,
                _ => local,
            };
        }
        for &j in &layout.order {
            push_rows(&mut values, &matrices[j], args.unit);
        }
    }
    (values, [instants, joints, 3, 4])
}

fn push_rows(out: &mut Vec<f32>, m: &DAffine3, unit_m: f64) {
    for row in 0..3 {
        out.extend((0..3).map(|column| m.matrix3.col(column)[row] as f32));
        out.push((m.translation[row] * unit_m) as f32);
    }
}
