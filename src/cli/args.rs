use crate::codec::{BasePose, Deliverable, HeldPair, Hold, Quality, QuaternionBits};
use crate::fit::Basis;
use crate::metrics::ErrorMetric;
use crate::session::units::{self, SizeLimit};
use clap::{Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// What stands under every help text.
const EXIT_CODES: &str = "\
Exit codes:
  0  fine
  1  wrong usage
  2  a file cannot be read
  3  the target is missed, a limit that was asked for or the size of --bytes; without --force nothing was written
  4  a file cannot be written; the old one is as it was
  5  an approval is stale, or nothing is approved where something must be
  101  a fault of the program; unsaved work is offered when the window opens again
Errors and warnings go to standard error, figures to standard output.";

/// Compress game animation clips, see what compression does to them, tune, approve and export.
#[derive(Debug, Parser)]
#[command(name = "posepress", version, args_conflicts_with_subcommands = true, after_help = EXIT_CODES)]
pub struct Args {
    /// What to do without the window.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Files, and folders with all clips below them, to open in the window; without any, the bundled clips.
    pub files: Vec<PathBuf>,
}

/// Commands that open no window, and `shot`, which closes it by itself.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Say what a file holds: a source file or a .ppc.
    Info(InfoArgs),
    /// Compress one clip to a .ppc, or to a .glb with --codec universal, or compare with --codec all.
    ///
    /// What was decided in the window, and saved beside the source, is the same here; options count more.
    /// The written file is read back, decoded and measured; what is printed and reported is that.
    /// When the target is missed, nothing is written and the exit code is 3, unless --force is given.
    #[command(after_help = EXIT_CODES)]
    Compress(CompressArgs),
    /// Compress all clips of a source into one file of a profile.
    ///
    /// The written file is read back, decoded and measured; what is printed and reported is that.
    /// When a clip misses the target, nothing is written and the exit code is 3, unless --force is given.
    #[command(after_help = EXIT_CODES)]
    Export(ExportArgs),
    /// Measure a compressed file against its source.
    #[command(after_help = EXIT_CODES)]
    Measure(MeasureArgs),
    /// List when feet stand in the clips of a source.
    ///
    /// Feet are known by name, else by the shape of the skeleton. Each has a heel, a ball or both, which stand
    /// while they are low and still over the ground; under a clip that walks in place the ground moves.
    Contacts(ContactsArgs),
    /// List which clips are approved, and whether what was approved is still what would ship.
    ///
    /// The exit code is 5 when an approval is stale: source, settings or output are not what they were.
    #[command(after_help = EXIT_CODES)]
    Check(CheckArgs),
    /// Write the poses of a clip as a NumPy array.
    Sample(SampleArgs),
    /// Save a picture of the window.
    Shot(ShotArgs),
}

/// See [`Command::Info`].
#[derive(Debug, clap::Args)]
pub struct InfoArgs {
    /// A .glb, .gltf or .ppc.
    pub file: PathBuf,
    /// Machine-readable.
    #[arg(long)]
    pub json: bool,
}

/// Settings that several commands share.
#[derive(Debug, clap::Args)]
pub struct Tuning {
    /// Largest error anywhere, of the skin unless --error says otherwise, like 1mm; tolerances are solved for it. The
    /// default is 1mm.
    #[arg(long, value_parser = units::parse_length_m, conflicts_with_all = ["rot_tol", "pos_tol", "scale_tol"])]
    pub target: Option<f64>,
    /// Most bytes of the animation of each clip, like 2KB or 1500, or 40x for forty times smaller than full frames; 6KB:file
    /// for the whole .ppc with skeleton and rest pose. The smallest skin error that fits is looked for, and is the target
    /// from then on.
    #[arg(long, value_name = "SIZE", value_parser = units::parse_size_limit, conflicts_with_all = ["target", "rot_tol", "pos_tol", "scale_tol"])]
    pub bytes: Option<SizeLimit>,
    /// Rotation tolerance of an end effector, like 0.05deg.
    #[arg(long, value_parser = units::parse_angle_rad)]
    pub rot_tol: Option<f64>,
    /// Translation tolerance of an end effector, like 0.1mm.
    #[arg(long, value_parser = units::parse_length_m)]
    pub pos_tol: Option<f64>,
    /// Scale tolerance of an end effector, a factor like 1e-4.
    #[arg(long, value_parser = units::parse_factor)]
    pub scale_tol: Option<f64>,
    /// How far a morph weight may be off, like 0.01; 0.001 when not given. Applies beside a target as well.
    #[arg(long, value_name = "WEIGHT", value_parser = units::parse_factor)]
    pub weight_tol: Option<f64>,
    /// Settings to start from: cinematic, hero, standard, crowd, or a file. They count more than what was decided
    /// before, and less than the options here.
    #[arg(long, value_name = "NAME|FILE")]
    pub preset: Option<String>,
    /// Metres of one unit of the file; 1 when not given.
    #[arg(long, value_name = "M", value_parser = parse_unit)]
    pub unit: Option<f64>,
    /// What errors are errors of.
    #[command(flatten)]
    pub measuring: Measuring,
    /// Tangents of the spline in riot; parabolic when not given.
    #[arg(long, value_enum)]
    pub tangents: Option<TangentsArg>,
    /// Keep every key that was inserted, on the curve: no removal, no least squares (riot, universal).
    #[arg(long)]
    pub no_refine: bool,
    /// Give every joint of a chain the same tolerance (in compact only with tolerances).
    #[arg(long)]
    pub no_margin: bool,
    /// Bits of a rotation key in riot; 48 when not given.
    #[arg(long, value_enum)]
    pub rotation_bits: Option<BitsArg>,
    /// Evaluate curves between frames too; the target is then held there as well (compact, riot).
    #[arg(long)]
    pub smooth: bool,
    /// How long to search for fewer bytes; only compact knows more than one answer.
    #[arg(long, value_enum, default_value_t = EffortArg::Full)]
    pub effort: EffortArg,
    /// Mark the clip as looping; compact then closes what ends where it began, in value and in speed.
    #[arg(long = "loop")]
    pub looped: bool,
    /// Joints that the next lower level of detail leaves out with all that hangs on them, like 'thumb*,index*'; once for
    /// each level. A .ppc then has the joints of each level as a prefix.
    #[arg(long = "level", value_name = "NAMES")]
    pub levels: Vec<String>,
    /// Write what the clip adds to a base pose, 'rest' or the number of a frame of its own, for engines that lay it over
    /// another clip; errors are measured on the base pose (only in a .ppc).
    #[arg(long, value_name = "BASE", value_parser = parse_base)]
    pub additive: Option<BasePose>,
    /// Most slide that may be added to a foot while it stands, like 0.2mm, or off; not limited when neither it is given
    /// nor a preset.
    #[arg(long, value_name = "LENGTH|off", value_parser = parse_slide)]
    pub slide: Option<SlideArg>,
    /// Most by which compression may open a loop, like 0.5mm; it is judged, nothing is stored for it.
    #[arg(long, value_name = "LENGTH", value_parser = units::parse_length_m)]
    pub seam: Option<f64>,
    /// Fastest that the error may move, millimetres a second, like 20mm; it is judged, nothing is stored for it.
    #[arg(long, value_name = "LENGTH", value_parser = units::parse_length_m)]
    pub jitter: Option<f64>,
    /// The exit code is 3 too where nothing can be said of something that is asked, or a limit is missed that a preset
    /// sets by itself.
    #[arg(long)]
    pub strict: bool,
    /// What holds feet that slide more than --slide (compact); best takes what needs the fewest bytes.
    #[arg(long, value_enum, requires = "slide")]
    pub stake: Option<StakeArg>,
    /// A joint that keeps its distance to another one, or to nothing: held to --slide, measured always. Repeatable.
    #[arg(long = "pair", value_name = "JOINT,OTHER[,FIRST,LAST]", value_parser = parse_pair)]
    pub pairs: Vec<HeldPair>,
    /// Write the file even when it misses the target; the exit code is 3 all the same.
    #[arg(long)]
    pub force: bool,
}

/// What errors are errors of.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Measuring {
    /// What is measured: every vertex of the skin, and shells of joints that move none, or the shells of all joints,
    /// as ACL measures; skin when nothing was decided.
    #[arg(long, value_enum)]
    pub error: Option<ErrorArg>,
    /// Distance in the world of the three points around a joint that are its shell; 3cm when not given.
    #[arg(long, value_parser = units::parse_length_m)]
    pub shell: Option<f64>,
    /// Meshes that do not count, like LODs and hidden props: names, * stands for anything. Repeatable.
    #[arg(long = "leave-out", value_name = "MESH")]
    pub left_out: Vec<String>,
    /// A file with meshes that the clip moves, for clips whose meshes are elsewhere; joints are matched by name. Repeatable:
    /// the worst of all characters counts.
    #[arg(long = "mesh", value_name = "CHARACTER")]
    pub meshes: Vec<PathBuf>,
    /// A file with something that a joint holds, such as a sword: its vertices count like those of the skin. Its origin
    /// and axes are the joint's, its unit is the source's. Repeatable.
    #[arg(long = "attach", value_name = "FILE=JOINT", value_parser = parse_attached)]
    pub attached: Vec<Attached>,
}

/// Something that a joint holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attached {
    /// Where its meshes are.
    pub path: PathBuf,
    /// Name of the joint.
    pub joint: String,
}

fn parse_attached(text: &str) -> Result<Attached, String> {
    match text.rsplit_once('=') {
        Some((path, joint)) if !path.is_empty() && !joint.is_empty() => Ok(Attached {
            path: path.into(),
            joint: joint.to_owned(),
        }),
        _ => Err("give a file and a joint: sword.glb=hand_r".into()),
    }
}

/// What errors are measured on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ErrorArg {
    /// Every vertex that joints move; shells of joints that move none.
    Skin,
    /// Three points around every joint.
    Shell,
}

impl From<ErrorArg> for ErrorMetric {
    fn from(arg: ErrorArg) -> Self {
        match arg {
            ErrorArg::Skin => Self::Skin,
            ErrorArg::Shell => Self::Shell,
        }
    }
}

/// Where decisions of before come from. What is given to the same command counts more.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Decided {
    /// Use no file of decisions; FILE.posepress.json beside the source is used otherwise.
    #[arg(long, conflicts_with = "settings")]
    pub no_sidecar: bool,
    /// Another file of decisions than the one beside the source.
    #[arg(long, value_name = "S.json")]
    pub settings: Option<PathBuf>,
    /// A joint that is a foot beside those that are found, by its name; repeatable.
    #[arg(long = "foot", value_name = "JOINT", conflicts_with = "no_feet")]
    pub feet: Vec<String>,
    /// Nothing of the skeleton ever stands.
    #[arg(long)]
    pub no_feet: bool,
}

/// See [`Command::Compress`].
#[derive(Debug, clap::Args)]
pub struct CompressArgs {
    /// A .glb or .gltf.
    pub file: PathBuf,
    /// The file to write; only --codec all writes none.
    #[arg(short, long)]
    pub output: Option<PathBuf>,
    /// Name or index of the clip; the first one when not given.
    #[arg(long)]
    pub clip: Option<String>,
    /// What to write; what was decided for the clip, else compact.
    #[arg(long, value_enum)]
    pub codec: Option<CodecArg>,
    /// How to compress.
    #[command(flatten)]
    pub tuning: Tuning,
    /// Decisions of before.
    #[command(flatten)]
    pub decided: Decided,
    /// Write everything measured on the file as JSON.
    #[arg(long, value_name = "R.json")]
    pub report: Option<PathBuf>,
}

/// See [`Command::Export`].
#[derive(Debug, clap::Args)]
pub struct ExportArgs {
    /// A .glb or .gltf.
    pub file: PathBuf,
    /// The file to write; with --approved a folder, or a file where all approved clips go into one.
    #[arg(short, long)]
    pub output: PathBuf,
    /// What to write; universal when not given.
    #[arg(long, value_enum)]
    pub profile: Option<ProfileArg>,
    /// Only clips that are approved, each as what was approved. When an approval is stale, nothing is written and
    /// the exit code is 5.
    #[arg(long)]
    pub approved: bool,
    /// How to compress.
    #[command(flatten)]
    pub tuning: Tuning,
    /// Decisions of before.
    #[command(flatten)]
    pub decided: Decided,
    /// Write everything measured on the file as JSON.
    #[arg(long, value_name = "R.json")]
    pub report: Option<PathBuf>,
}

/// See [`Command::Measure`].
#[derive(Debug, clap::Args)]
pub struct MeasureArgs {
    /// The source: a .glb or .gltf.
    pub source: PathBuf,
    /// A .ppc, or a .glb or .gltf with the same joints.
    pub compressed: PathBuf,
    /// Name or index of the clip in the source; by default the one that the compressed file names.
    #[arg(long)]
    pub clip: Option<String>,
    /// Metres of one unit of the file; when not given, 1, or for a .ppc what it was made with.
    #[arg(long, value_name = "M", value_parser = parse_unit)]
    pub unit: Option<f64>,
    /// What errors are errors of.
    #[command(flatten)]
    pub measuring: Measuring,
    /// Decisions of before.
    #[command(flatten)]
    pub decided: Decided,
    /// Fail with 3 when more slide than this, like 0.2mm, was added to a foot while it stands; off asks for nothing.
    /// Without it, what was decided counts.
    #[arg(long, value_name = "LENGTH|off", value_parser = parse_slide)]
    pub slide: Option<SlideArg>,
    /// Fail with 3 when compression opens a loop by more than this, like 0.5mm.
    #[arg(long, value_name = "LENGTH", value_parser = units::parse_length_m)]
    pub seam: Option<f64>,
    /// Fail with 3 when the error moves faster than this, millimetres a second, like 20mm.
    #[arg(long, value_name = "LENGTH", value_parser = units::parse_length_m)]
    pub jitter: Option<f64>,
    /// Fail with 3 too where nothing can be said of something that is asked.
    #[arg(long)]
    pub strict: bool,
    /// A joint that keeps its distance to another one, or to nothing. Repeatable.
    #[arg(long = "pair", value_name = "JOINT,OTHER[,FIRST,LAST]", value_parser = parse_pair)]
    pub pairs: Vec<HeldPair>,
    /// Machine-readable.
    #[arg(long)]
    pub json: bool,
}

/// See [`Command::Contacts`].
#[derive(Debug, clap::Args)]
pub struct ContactsArgs {
    /// A .glb or .gltf.
    pub file: PathBuf,
    /// A joint that keeps its distance to another one, or to nothing. Repeatable.
    #[arg(long = "pair", value_name = "JOINT,OTHER[,FIRST,LAST]", value_parser = parse_pair)]
    pub pairs: Vec<HeldPair>,
    /// Name or index of the clip; all when not given.
    #[arg(long)]
    pub clip: Option<String>,
    /// Metres of one unit of the file; 1 when not given.
    #[arg(long, value_name = "M", value_parser = parse_unit)]
    pub unit: Option<f64>,
    /// Decisions of before.
    #[command(flatten)]
    pub decided: Decided,
    /// Machine-readable.
    #[arg(long)]
    pub json: bool,
}

/// See [`Command::Check`].
#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    /// Source files: .glb or .gltf.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// The exit code is 3 where nothing can be said of something that is asked.
    #[arg(long)]
    pub strict: bool,
    /// Machine-readable.
    #[arg(long)]
    pub json: bool,
}

/// See [`Command::Sample`].
#[derive(Debug, clap::Args)]
pub struct SampleArgs {
    /// A .glb, .gltf or .ppc.
    pub file: PathBuf,
    /// The .npy to write: float32 [M][J][3][4], row-major matrices, metres.
    #[arg(short, long)]
    pub output: PathBuf,
    /// Name or index of the clip; the first one when not given. A .ppc holds one.
    #[arg(long)]
    pub clip: Option<String>,
    /// Samples for each frame.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rate_mul: u32,
    /// Whether matrices lead to the model or to the parent.
    #[arg(long, value_enum, default_value_t = SpaceArg::Model)]
    pub space: SpaceArg,
    /// Metres of one unit of the file; when not given, 1, or for a .ppc what it was made with.
    #[arg(long, value_name = "M", value_parser = parse_unit)]
    pub unit: Option<f64>,
}

/// See [`Command::Shot`].
#[derive(Debug, clap::Args)]
pub struct ShotArgs {
    /// A .glb or .gltf, or a folder; without one, the bundled clips.
    pub file: Option<PathBuf>,
    /// The .png to write.
    #[arg(short, long)]
    pub output: PathBuf,
    /// Name or index of the clip.
    #[arg(long)]
    pub clip: Option<String>,
    /// Frame to show.
    #[arg(long)]
    pub frame: Option<f64>,
    /// Name of the joint to select.
    #[arg(long)]
    pub joint: Option<String>,
    /// Size of the window.
    #[arg(long, default_value = "1600x1000", value_parser = parse_size)]
    pub size: (u32, u32),
    /// How source and compressed are compared.
    #[arg(long, value_enum, default_value_t = ViewArg::Split)]
    pub view: ViewArg,
    /// Whether one clip is shown, or the table of all.
    #[arg(long, value_enum, default_value_t = WorkspaceArg::Review)]
    pub workspace: WorkspaceArg,
    /// In the light theme.
    #[arg(long)]
    pub light: bool,
    /// The sheet over the window.
    #[arg(long, value_enum)]
    pub sheet: Option<SheetArg>,
}

/// Codecs of `compress`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CodecArg {
    /// The fewest bytes for the target, in a .ppc.
    Compact,
    /// All frames in their tracks' own ranges, in a .ppc.
    Uniform,
    /// The published 10-byte keys, in a .ppc.
    Riot,
    /// glTF keyframes, in a .glb.
    Universal,
    /// No file: a table of what each codec of a .ppc makes of the clip.
    All,
}

/// Profiles of `export`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProfileArg {
    /// LINEAR float keys: any player of glTF.
    Universal,
}

/// Spaces of `sample`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SpaceArg {
    /// `model_from_joint`.
    Model,
    /// `parent_from_joint`.
    Local,
}

/// Views of `shot`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ViewArg {
    /// Side by side.
    Split,
    /// Both in one view.
    Overlay,
}

/// Sheets of `shot`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SheetArg {
    /// What to open.
    Open,
    /// What is exported; something must be approved.
    Export,
}

/// Workspaces of `shot`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WorkspaceArg {
    /// Views and timeline of one clip.
    Review,
    /// The table of all clips.
    Clips,
}

/// Spline tangents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TangentsArg {
    /// As published, whatever the key times.
    Uniform,
    /// Slope between the neighbours in time.
    TimeAware,
    /// Slope of the parabola through three keys.
    Parabolic,
    /// By the square root of distance.
    Centripetal,
    /// By distance.
    Chordal,
}

/// Bits of a rotation key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BitsArg {
    /// 3 x 15 bits.
    #[value(name = "48")]
    B48,
    /// 3 x 10 bits.
    #[value(name = "32")]
    B32,
}

/// Efforts of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EffortArg {
    /// As the window does: about a second for a clip of half a minute.
    Full,
    /// Whatever pays: seconds to a minute a clip, 1 to 3 % fewer bytes.
    Max,
}

/// What holds feet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StakeArg {
    /// The foot turns so that its sole stays.
    Pin,
    /// Thigh and shin bend as well.
    Limb,
    /// The foot's translation gets keys; some players ignore them.
    Full,
    /// Pin or limb, whatever needs the fewest bytes; full where neither is enough.
    Best,
}

impl From<StakeArg> for Hold {
    fn from(arg: StakeArg) -> Self {
        match arg {
            StakeArg::Pin => Self::Pin,
            StakeArg::Limb => Self::Limb,
            StakeArg::Full => Self::Full,
            StakeArg::Best => Self::Best,
        }
    }
}

impl From<EffortArg> for Quality {
    fn from(arg: EffortArg) -> Self {
        match arg {
            EffortArg::Full => Self::Full,
            EffortArg::Max => Self::Max,
        }
    }
}

impl CodecArg {
    /// What one codec writes; `None` for all of them.
    pub fn deliverable(self) -> Option<Deliverable> {
        match self {
            Self::Riot => Some(Deliverable::Riot),
            Self::Compact => Some(Deliverable::Compact),
            Self::Uniform => Some(Deliverable::Uniform),
            Self::Universal => Some(Deliverable::Universal),
            Self::All => None,
        }
    }
}

impl From<ProfileArg> for Deliverable {
    fn from(arg: ProfileArg) -> Self {
        match arg {
            ProfileArg::Universal => Self::Universal,
        }
    }
}

impl From<TangentsArg> for Basis {
    fn from(arg: TangentsArg) -> Self {
        match arg {
            TangentsArg::Uniform => Self::Uniform,
            TangentsArg::TimeAware => Self::TimeAware,
            TangentsArg::Parabolic => Self::Parabolic,
            TangentsArg::Centripetal => Self::Centripetal,
            TangentsArg::Chordal => Self::Chordal,
        }
    }
}

impl From<BitsArg> for QuaternionBits {
    fn from(arg: BitsArg) -> Self {
        match arg {
            BitsArg::B48 => Self::Q48,
            BitsArg::B32 => Self::Q32,
        }
    }
}

/// A limit of slide; `None` for none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlideArg(pub Option<f64>);

fn parse_slide(text: &str) -> Result<SlideArg, String> {
    if text.trim() == "off" {
        return Ok(SlideArg(None));
    }
    units::parse_length_m(text).map(|m| SlideArg(Some(m)))
}

fn parse_unit(text: &str) -> Result<f64, String> {
    let number = text.trim().replace(',', ".").parse().ok();
    number
        .filter(|unit: &f64| (1e-12..=1e12).contains(unit))
        .ok_or_else(|| {
            format!("'{text}' is not a number of metres above 0 (1e-12 to 1e12), like 0.01")
        })
}

fn parse_base(text: &str) -> Result<BasePose, String> {
    if text == "rest" {
        return Ok(BasePose::Rest);
    }
    let frame = text.parse().map(BasePose::Frame);
    frame.map_err(|_| format!("'{text}' is no base pose; write rest, or a frame like 0"))
}

fn parse_pair(text: &str) -> Result<HeldPair, String> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let frames = match parts[1..] {
        [_] => Some(None),
        [_, first, last] => first.parse().ok().zip(last.parse().ok()).map(Some),
        _ => None,
    };
    let pair = frames
        .filter(|_| !parts[0].is_empty())
        .map(|frames| HeldPair {
            joint: parts[0].to_owned(),
            to: Some(parts[1].to_owned()).filter(|to| !to.is_empty()),
            frames,
            ..HeldPair::default()
        });
    pair.ok_or_else(|| {
        format!(
            "'{text}' is no pair; write one like hand_l,hand_r or hand_l,hand_r,0,96, or hand_l, for the world"
        )
    })
}

fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let parts = text
        .split_once('x')
        .and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    parts
        .filter(|(w, h)| (64..=8192).contains(w) && (64..=8192).contains(h))
        .ok_or_else(|| format!("'{text}' is not a size; write one like 1600x1000"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_two_names_and_maybe_frames() {
        let pair = |text| parse_pair(text).expect(text);
        assert_eq!(pair("a,b").to.as_deref(), Some("b"));
        assert_eq!((pair("a,").to, pair("a,").frames), (None, None));
        assert_eq!(pair("m:a, m:b, 3,12").frames, Some((3, 12)));
        for text in ["", "a", ",b", "a,b,3", "a,b,x,4", "a,b,1,2,3"] {
            assert!(parse_pair(text).is_err(), "{text}");
        }
    }

    #[test]
    fn units_are_plain_numbers_in_the_range_that_is_said() {
        for (text, unit) in [("0.01", 0.01), (" 2,54 ", 2.54), ("1e12", 1e12)] {
            assert_eq!(parse_unit(text), Ok(unit));
        }
        for text in ["", "0", "-1", "nan", "inf", "1e13", "1%"] {
            assert!(parse_unit(text).is_err(), "{text}");
        }
    }
}
