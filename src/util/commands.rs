//! The table of the commands of a protocol or a prompt.

/// Rows of the names of a command, separated by blanks, and its action or help.
pub struct Table<A: 'static>(pub &'static [(&'static str, A)]);

impl<A: Copy> Table<A> {
    /// The action of the command with this name.
    pub fn find(&self, name: &str) -> Option<A> {
        let mut rows = self.0.iter();
        rows.find(|(names, _)| names.split(' ').any(|known| known == name))
            .map(|(_, action)| *action)
    }

    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|(names, _)| *names)
    }
}

#[test]
fn a_command_has_several_names() {
    let table = Table(&[("quit q exit", 1), ("go", 2)]);
    assert_eq!(
        ["q", "exit", "go", "", "quit q"].map(|name| table.find(name)),
        [Some(1), Some(1), Some(2), None, None]
    );
}
