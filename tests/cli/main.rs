//! The command line as a build farm meets it: exit codes, what stands on which stream, and every byte written.

mod asset;
#[path = "../support/bare.rs"]
mod bare;
mod byte_budget;
mod bytes;
mod characters;
mod compress;
mod contacts;
mod decisions;
mod export;
mod failures;
mod info;
#[path = "../support/mannequin.rs"]
mod mannequin;
mod run;
mod sample;
mod source_kinds;
mod streams;
