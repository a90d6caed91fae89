//! Posepress: compress game animation clips, see what compression does to them, tune, approve, export.
//!
//! # The one idea
//! A clip has a *deliverable*: the bytes that will ship. What is drawn, plotted, measured and approved is
//! always decoded from those bytes, the way their player decodes them. Nothing is previewed in one form
//! and exported in another.
//!
//! # The pipeline
//! ```text
//!  file ──import──▶ RawClip ──model──▶ Clip ──codec──▶ bytes ──runtime──▶ poses
//!                                       │       ▲                          │
//!                                       │      fit                         │
//!                                       └───────────metrics◀───────────────┘
//!                                                    │
//!                     session (documents, commands, undo, worker)
//!                        │                                   │
//!                       cli                                 gui
//! ```
//! Each form is checked once, when it is made, and trusted from then on.
//!
//! # Who may use whom
//! | module | uses | what it is |
//! |---|---|---|
//! | [`runtime`] | nothing | what a game ships: reads `.ppc`, samples poses; no `unsafe`, no panics |
//! | [`math`] | runtime | transforms in double precision |
//! | [`model`] | math | skeletons, source curves, validated clips |
//! | [`fit`] | math | which frames become keys, and their values |
//! | [`metrics`] | model, math, runtime | errors and sliding, measured from decoded bytes |
//! | [`codec`] | model, fit, math, runtime, metrics | settings, tolerances, the search for a target, writers |
//! | [`import`] | model, math | glTF and GLB, read with bounds checked |
//! | [`storage`] | nothing | files replaced completely or not at all |
//! | [`export`] | model, math, runtime, codec, metrics, storage | glTF with new keyframes, all else passed through |
//! | [`session`] | all above | open files, commands, undo, the worker |
//! | [`cli`], `gui` | session and what it builds on, never each other | the two fronts |
//!
//! `tests/layers.rs` holds the `use` lines of every file against this table.
//!
//! # What can go wrong
//! Every module has one typed error that says what, where and what to do: [`import::ImportError`],
//! [`runtime::Error`], [`codec::CodecError`], [`export::gltf::ExportError`], [`storage::SaveError`],
//! [`session::SidecarError`]. What is repaired on the way in is listed in [`model::Issues`] and shown. A target
//! that cannot be reached is reported, never looped on. A panic in the worker becomes a notice; the documents stay.
//!
//! # Example
//! ```no_run
//! use posepress::codec::{Budget, Control, Encoder, Settings};
//! use posepress::import::{self, LoadOptions};
//! use posepress::metrics::{self, Options};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let asset = import::load("hero.glb".as_ref(), &LoadOptions::default())?;
//! let clip = &asset.clips[0];
//! let settings = Settings { budget: Budget::Skin { target_m: 0.001 }, ..Settings::default() };
//! let compressed =
//!     Encoder::new(clip.clone(), asset.unit_m, asset.source_hash).encode(&settings, &Control::default())?;
//! let player = compressed.player(clip.skeleton())?;
//! let measured = metrics::measure(clip, &player, &Options { unit_m: asset.unit_m, ..Options::default() });
//! println!("{} bytes, {:.3} mm", compressed.animation_bytes(), measured.frames.max_m * 1000.0);
//! # Ok(())
//! # }
//! ```

pub mod cli;
pub mod codec;
pub mod export;
pub mod fit;
#[cfg(feature = "gui")]
pub mod gui;
pub mod import;
pub mod math;
pub mod metrics;
pub mod model;
pub mod runtime;
pub mod session;
pub mod storage;
