//! The system's folders for the data of programs.

use std::ffi::OsString;
use std::path::PathBuf;

/// The variable that names the settings file; empty for none.
pub const CONFIG_VARIABLE: &str = "EMILIA_CONFIG";

/// The folders for data, the user's own first. `variable` reads the environment; the systems ignore relative paths in it.
pub fn data_folders(variable: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let folder = |name: &str| absolute(variable(name));
    let found = if cfg!(windows) {
        vec![
            folder("APPDATA"),
            folder("LOCALAPPDATA"),
            folder("PROGRAMDATA"),
        ]
    } else if cfg!(target_os = "macos") {
        let all = PathBuf::from("/Library/Application Support");
        vec![
            folder("HOME").map(|home| home.join("Library/Application Support")),
            Some(all),
        ]
    } else {
        let own = folder("XDG_DATA_HOME").or_else(|| Some(folder("HOME")?.join(".local/share")));
        let shared = variable("XDG_DATA_DIRS").filter(|list| !list.is_empty());
        let shared = shared.unwrap_or_else(|| "/usr/local/share:/usr/share".into());
        let shared: Vec<PathBuf> = std::env::split_paths(&shared)
            .filter(|path| path.is_absolute())
            .collect();
        [own]
            .into_iter()
            .chain(shared.into_iter().map(Some))
            .collect()
    };
    found.into_iter().flatten().collect()
}

fn absolute(value: Option<OsString>) -> Option<PathBuf> {
    value.map(PathBuf::from).filter(|path| path.is_absolute())
}

/// The folder for state such as the history of input.
pub fn state_folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    own_folder(variable, "LOCALAPPDATA", "XDG_STATE_HOME", ".local/state")
}

/// The folder for settings.
pub fn config_folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    own_folder(variable, "APPDATA", "XDG_CONFIG_HOME", ".config")
}

/// The user's own folder: by a variable of Windows, or by one of other systems, or below the home folder there.
fn own_folder(
    variable: impl Fn(&str) -> Option<OsString>,
    windows: &str,
    xdg: &str,
    below_home: &str,
) -> Option<PathBuf> {
    let folder = |name: &str| absolute(variable(name));
    if cfg!(windows) {
        folder(windows)
    } else if cfg!(target_os = "macos") {
        Some(folder("HOME")?.join("Library/Application Support"))
    } else {
        folder(xdg).or_else(|| Some(folder("HOME")?.join(below_home)))
    }
}

#[cfg(all(test, unix, not(target_os = "macos")))]
mod tests {
    use super::*;

    #[test]
    fn settings_are_below_the_variable_or_the_home_folder() {
        let read = |name: &str| (name == "HOME").then(|| "/h".into());
        assert_eq!(config_folder(read), Some("/h/.config".into()));
        assert_eq!(
            config_folder(|name| Some(format!("/{name}").into())),
            Some("/XDG_CONFIG_HOME".into())
        );
        assert_eq!(config_folder(|_| Some("relative".into())), None);
    }

    #[test]
    fn the_users_own_folder_comes_first() {
        type Variables = &'static [(&'static str, &'static str)];
        let cases: [(Variables, &str, &str); 5] = [
            (&[], "/usr/local/share /usr/share", ""),
            (
                &[("HOME", "/home/a")],
                "/home/a/.local/share /usr/local/share /usr/share",
                "/home/a/.local/state",
            ),
            (
                &[
                    ("XDG_DATA_HOME", "/d"),
                    ("XDG_DATA_DIRS", "/x::y:/z"),
                    ("HOME", "/h"),
                ],
                "/d /x /z",
                "/h/.local/state",
            ),
            (
                &[
                    ("XDG_STATE_HOME", "/s"),
                    ("HOME", "/h"),
                    ("XDG_DATA_DIRS", "/x"),
                ],
                "/h/.local/share /x",
                "/s",
            ),
            (
                &[
                    ("XDG_STATE_HOME", "s"),
                    ("XDG_DATA_HOME", "d"),
                    ("XDG_DATA_DIRS", ""),
                ],
                "/usr/local/share /usr/share",
                "",
            ),
        ];
        for (variables, data, state) in cases {
            let read = |name: &str| {
                variables
                    .iter()
                    .find(|(other, _)| *other == name)
                    .map(|(_, value)| value.into())
            };
            let found: Vec<String> = data_folders(read)
                .iter()
                .map(|path| path.display().to_string())
                .collect();
            assert_eq!(found.join(" "), data, "{variables:?}");
            assert_eq!(
                state_folder(read).unwrap_or_default().display().to_string(),
                state,
                "{variables:?}"
            );
        }
    }
}
