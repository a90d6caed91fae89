use super::args::{SampleArgs, SpaceArg};
use super::{Failure, npy, open, output};
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

/// Most bytes that are written.
const MAX_BYTES: usize = 4 << 30;

/// Writes poses at `first key + m / (rate_mul * rate)`, joints in the order of the source's nodes.
pub(super) fn run(args: &SampleArgs) -> Result<(), Failure> {
    output::must_differ(&[
        ("the source", Some(&args.file)),
        ("the output", Some(&args.output)),
    ])?;
    output::must_suit(&args.output, "the array", "npy")?;
    let bytes = if open::is_container(&args.file) {
        let player = open::container(&args.file)?;
        let (layout, grid, unit_m) = container_layout(args, &player)?;
        sample(player, &layout, &grid, args, unit_m)?
    } else {
        let asset = open::source(&args.file, args.unit)?;
        let clip = &asset.clips[open::clip_index(&asset, args.clip.as_deref())?];
        let joints = clip.skeleton().joints();
        let layout = Layout::new(
            joints.iter().map(|j| j.parent).collect(),
            &joints.iter().map(|j| j.source_index).collect::<Vec<_>>(),
        );
        let source: &Clip = clip;
        sample(
            source,
            &layout,
            &clip.grid(),
            args,
            args.unit.unwrap_or(1.0),
        )?
    };
    storage::replace(&args.output, &bytes, |_| Ok(())).map_err(Failure::unwritable)
}

impl Layout {
    fn new(parents: Vec<Option<usize>>, source: &[usize]) -> Self {
        let mut order: Vec<usize> = (0..source.len()).collect();
        order.sort_by_key(|&j| source[j]);
        Self { parents, order }
    }
}

/// Joints, frames and metres a unit of a container.
fn container_layout(
    args: &SampleArgs,
    player: &Player,
) -> Result<(Layout, FrameGrid, f64), Failure> {
    let fail = |text: &str| Failure::unreadable(format!("{}: {text}", args.file.display()));
    let Player::Container { view, .. } = player else {
        return Err(fail("not a container"));
    };
    let info = view.info();
    if let Some(wanted) = args.clip.as_deref()
        && wanted != info.name
        && wanted != "0"
    {
        return Err(Failure::usage(format!(
            "{} has no clip '{wanted}'; it has: {}",
            args.file.display(),
            info.name
        )));
    }
    let joints = view.skeleton().ok_or_else(|| {
        fail("it carries no skeleton, so its joints cannot be put in order; sample the source")
    })?;
    let layout = Layout::new(
        joints.iter().map(|j| j.parent.map(usize::from)).collect(),
        &joints
            .iter()
            .map(|j| j.source_index as usize)
            .collect::<Vec<_>>(),
    );
    let grid = FrameGrid {
        start_secs: info.start_secs,
        rate_hz: info.rate_hz,
        frames: info.frames as usize,
    };
    Ok((layout, grid, args.unit.unwrap_or(info.unit_m)))
}

/// The whole array file.
fn sample(
    mut player: impl PoseSource,
    layout: &Layout,
    grid: &FrameGrid,
    args: &SampleArgs,
    unit_m: f64,
) -> Result<Vec<u8>, Failure> {
    let joints = layout.parents.len();
    let instants = grid.last().saturating_mul(args.rate_mul as usize);
    let instants = instants.saturating_add(1);
    let size = instants.saturating_mul(joints).saturating_mul(48);
    if size > MAX_BYTES {
        return Err(Failure::usage(format!(
            "{instants} samples of {joints} joints are {size} bytes, more than the {MAX_BYTES} that are written; \
             give a smaller --rate-mul or shorter clips"
        )));
    }
    let mut bytes = npy::header(&[instants, joints, 3, 4]);
    bytes.reserve_exact(size);
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
            push_rows(&mut bytes, &matrices[j], unit_m);
        }
    }
    Ok(bytes)
}

fn push_rows(out: &mut Vec<u8>, m: &DAffine3, unit_m: f64) {
    for row in 0..3 {
        let turn = (0..3).map(|column| m.matrix3.col(column)[row]);
        let values = turn.chain([m.translation[row] * unit_m]);
        out.extend(values.flat_map(|v| (v as f32).to_le_bytes()));
    }
}
