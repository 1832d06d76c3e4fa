//! Writes the parts of the program as CycloneDX 1.5 JSON, from the output of cargo on stdin.
//!
//! `cargo metadata --locked --format-version 1 --filter-platform TRIPLE | cargo run --example sbom`
//! lists the linked crates and those of their macros, each once, by name, without those that only build scripts and
//! tests use.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use serde_json::{Value, json};

fn main() -> io::Result<()> {
    let metadata: Value = serde_json::from_reader(io::stdin().lock())?;
    let Some(sbom) = sbom(&metadata) else {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "expected the output of `cargo metadata`",
        ));
    };
    serde_json::to_writer_pretty(io::stdout().lock(), &sbom)?;
    println!();
    Ok(())
}

/// The list, or `None` when the description lacks something.
fn sbom(metadata: &Value) -> Option<Value> {
    let packages = metadata["packages"]
        .as_array()?
        .iter()
        .map(|package| Some((package["id"].as_str()?, package)));
    let packages: BTreeMap<&str, &Value> = packages.collect::<Option<_>>()?;
    let root = metadata["resolve"]["root"].as_str()?;
    let mut linked: Vec<&Value> = Vec::new();
    for id in reached(metadata, root)?
        .into_iter()
        .filter(|id| *id != root)
    {
        linked.push(packages.get(id)?);
    }
    linked.sort_by_key(|package| (package["name"].as_str(), package["version"].as_str()));
    let components: Vec<Value> = linked.into_iter().map(component).collect::<Option<_>>()?;
    Some(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": component(packages.get(root)?)? },
        "components": components,
    }))
}

/// The packages that `root` is linked with, itself among them.
fn reached<'a>(metadata: &'a Value, root: &'a str) -> Option<BTreeSet<&'a str>> {
    let nodes = metadata["resolve"]["nodes"].as_array()?.iter();
    let nodes: BTreeMap<&str, &Value> = nodes
        .map(|node| Some((node["id"].as_str()?, node)))
        .collect::<Option<_>>()?;
    let mut reached = BTreeSet::from([root]);
    let mut left = vec![root];
    while let Some(id) = left.pop() {
        for dependency in nodes.get(id)?["deps"].as_array()? {
            // A kind of null is that of dependencies that are linked.
            let is_linked = dependency["dep_kinds"]
                .as_array()?
                .iter()
                .any(|kind| kind["kind"].is_null());
            let id = dependency["pkg"].as_str()?;
            if is_linked && reached.insert(id) {
                left.push(id);
            }
        }
    }
    Some(reached)
}

/// A package as the list names it.
fn component(package: &Value) -> Option<Value> {
    let (name, version) = (package["name"].as_str()?, package["version"].as_str()?);
    // The old spelling of a choice.
    let license = package["license"].as_str()?.replace('/', " OR ");
    let kind = if name == "emilia" {
        "application"
    } else {
        "library"
    };
    Some(json!({
        "type": kind,
        "name": name,
        "version": version,
        "purl": format!("pkg:cargo/{name}@{version}"),
        "licenses": [{ "expression": license }],
    }))
}
