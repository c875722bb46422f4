//! Builds what we are compared with: in a workspace of its own, so that nothing but this ever compiles it.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Options;

/// Builds the server on rmcp and says where it is; `floor` is the program of the floor. Where it is not wanted, or could
/// not be built, it is said why.
pub fn build_rmcp(floor: &Path, options: &Options) -> Option<PathBuf> {
    if !options.peers {
        println!("rmcp: skipped, because of --no-peers");
        return None;
    }
    build(floor)
        .inspect_err(|why| println!("rmcp: skipped, it could not be built: {why}"))
        .ok()
}

fn build(floor: &Path) -> Result<PathBuf, String> {
    // Beside the profile's folder of what is measured, so in the target folder of this run.
    let target = floor
        .ancestors()
        .nth(2)
        .ok_or("there is no target folder")?
        .join("peers");
    eprintln!("building the server on rmcp in {}", target.display());
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--release", "--locked", "--manifest-path"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../rmcp/Cargo.toml"))
        .arg("--target-dir")
        .arg(&target)
        .status()
        .map_err(|error| format!("cargo does not start: {error}"))?;
    if !status.success() {
        return Err(format!("cargo build ended with {status}"));
    }
    Ok(target.join("release/rmcp-server"))
}
