use super::args::MeasureArgs;
use super::{Failure, open, report};
use crate::codec::Player;
use crate::metrics::{self, Measured, Options};
use crate::model::Clip;
use std::io::Write;
use std::sync::Arc;

/// Measures a compressed file against its source, clip by clip where it holds several.
pub(super) fn run(args: &MeasureArgs) -> Result<(), Failure> {
    let source = open::source(&args.source, args.unit)?;
    let options = Options {
        unit_m: args.unit,
        shell_m: args.shell,
        ..Options::default()
    };
    let measured: Vec<(Arc<Clip>, Measured)> = if open::is_container(&args.compressed) {
        let player = open::container(&args.compressed)?;
        let named = match &player {
            Player::Container { view, .. } => view.info().name.clone(),
            Player::Keyframes(_) => String::new(),
        };
        let wanted = args.clip.as_deref().unwrap_or(&named);
        let clip = source.clips[open::clip_index(&source, Some(wanted))?].clone();
        same_joints(&clip, container_joints(&player), args)?;
        let measured = metrics::measure(&clip, &player, &options);
        vec![(clip, measured)]
    } else {
        let compressed = open::source(&args.compressed, args.unit)?;
        let only = args
            .clip
            .as_deref()
            .map(|w| open::clip_index(&source, Some(w)))
            .transpose()?;
        let mut pairs = Vec::new();
        for (k, clip) in source.clips.iter().enumerate() {
            let found = compressed.clips.iter().find(|c| c.name() == clip.name());
            let (Some(found), true) = (found, only.is_none_or(|o| o == k)) else {
                continue;
            };
            same_joints(clip, found.skeleton().len(), args)?;
            pairs.push((clip.clone(), metrics::measure(clip, &&**found, &options)));
        }
        pairs
    };
    if measured.is_empty() {
        return Err(Failure::usage(
            "the two files have no clip of the same name; give --clip",
        ));
    }
    print(&measured, args.json)
}

fn container_joints(player: &Player) -> usize {
    match player {
        Player::Container { pose, .. } => pose.len(),
        Player::Keyframes(_) => 0,
    }
}

fn same_joints(clip: &Clip, joints: usize, args: &MeasureArgs) -> Result<(), Failure> {
    if clip.skeleton().len() == joints {
        return Ok(());
    }
    Err(Failure::unreadable(format!(
        "{} has {joints} joints, but {} has {}; measure it against the file it was made from",
        args.compressed.display(),
        args.source.display(),
        clip.skeleton().len()
    )))
}

fn print(measured: &[(Arc<Clip>, Measured)], json: bool) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    if json {
        let clips: Vec<_> = measured
            .iter()
            .map(|(clip, m)| report::measured(clip, m))
            .collect();
        write!(out, "{}", report::whole(&clips))?;
        return Ok(());
    }
    for (clip, m) in measured {
        write!(out, "{}", report::lines(clip, m))?;
    }
    Ok(())
}
