//! Symbolic links to files.

use std::fs;
use std::path::{Path, PathBuf};

/// Links that are followed one after the other, as on Linux.
const MOST_LINKS: usize = 40;

/// The file that `path` leads to: links in its last part are followed, also to a file that does not exist.
///
/// The system follows links to folders on the way. A circle of links stays, for the system to report.
pub fn followed(path: &Path) -> PathBuf {
    let mut file = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(target) = fs::read_link(&file) else {
            // Some links of Linux lead to a pipe or a removed file.
            return if path.exists() && !file.exists() { path.to_owned() } else { file };
        };
        file = file.parent().map_or_else(|| target.clone(), |folder| folder.join(&target));
    }
    path.to_owned()
}

/// Whether two paths lead to one file.
pub fn is_same(one: &Path, other: &Path) -> bool {
    one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use tempfile::TempDir;

    #[test]
    fn links_are_followed_to_the_file_be_it_there_or_not() {
        let folder = TempDir::new().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("real/below")).unwrap();
        fs::write(at("real/book"), "").unwrap();
        symlink("real/below", at("folder")).unwrap();
        symlink("../book", at("real/below/up")).unwrap();
        symlink("folder/up", at("chain")).unwrap();
        symlink(at("chain"), at("absolute")).unwrap();
        symlink("real/new", at("dangling")).unwrap();
        symlink("circle", at("circle")).unwrap();
        let real = at("real/book").canonicalize().unwrap();
        for name in ["real/book", "folder/up", "chain", "absolute"] {
            let found = followed(&at(name));
            assert!(!found.is_symlink(), "{name}");
            assert_eq!(found.canonicalize().unwrap(), real, "{name}");
        }
        assert_eq!(followed(&at("dangling")), at("real/new"));
        assert_eq!(followed(&at("circle")), at("circle"));
        assert_eq!(followed(Path::new("no-such-file")), Path::new("no-such-file"));
        let open = fs::File::open(at("chain")).unwrap();
        let number = std::os::fd::AsRawFd::as_raw_fd(&open);
        if cfg!(target_os = "linux") {
            let name = format!("/proc/self/fd/{number}");
            assert_eq!(followed(Path::new(&name)), real);
            fs::remove_file(&real).unwrap();
            assert_eq!(followed(Path::new(&name)), Path::new(&name));
        }
    }
}
