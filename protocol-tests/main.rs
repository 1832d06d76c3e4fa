//! Whole conversations with the built `emilia`: transcripts, scenarios and random input.
//!
//! A transcript is a text file under `transcripts/`; `script.rs` explains its language. Each is
//! listed below and becomes a test of that name; `every_transcript_is_listed` finds forgotten ones.

mod pattern;
mod script;
mod session;

/// Declares the transcripts of a folder: `name` is `transcripts/<folder>/<name>.txt`.
macro_rules! transcripts {
    ($($folder:ident: $($name:ident)*;)*) => {
        $(mod $folder {
            $(#[test]
            fn $name() {
                let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/protocol-tests/transcripts/");
                let path = format!("{folder}{}/{}.txt", stringify!($folder), stringify!($name));
                if let Err(crate::session::Failure(what)) = crate::session::run(path.as_ref()) {
                    panic!("{path}: {what}");
                }
            })*
        })*

        /// Folder and name of every listed transcript.
        const LISTED: &[(&str, &str)] = &[$($((stringify!($folder), stringify!($name)),)*)*];
    };
}

transcripts! {
    cli:
        version
        help
        bad_arguments
    ;
}

#[test]
fn every_transcript_is_listed() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/protocol-tests/transcripts");
    let mut found = vec![];
    for folder in std::fs::read_dir(root).unwrap() {
        let folder = folder.unwrap();
        for file in std::fs::read_dir(folder.path()).unwrap() {
            let name = file.unwrap().file_name().into_string().unwrap();
            found.push((folder.file_name().into_string().unwrap(), name));
        }
    }
    let mut listed: Vec<_> =
        LISTED.iter().map(|(folder, name)| (folder.to_string(), format!("{name}.txt"))).collect();
    found.sort();
    listed.sort();
    assert_eq!(found, listed, "files on the left, the list in main.rs on the right");
}
