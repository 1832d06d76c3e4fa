//! The options of a job in its files, one a line such as `--depth 6`.

/// The differences between the options of two jobs in words, if any.
pub fn difference(before: &str, now: &str) -> Option<String> {
    let name = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
    let found = |text: &str, line: &str| {
        text.lines()
            .find(|other| name(other) == name(line))
            .map(str::to_owned)
    };
    let changed = before
        .lines()
        .filter(|line| !now.lines().any(|other| other == *line))
        .map(|line| {
            let now = found(now, line).unwrap_or_else(|| format!("without {}", name(line)));
            format!("it was made with {line}, not {now}")
        });
    let added = now
        .lines()
        .filter(|line| found(before, line).is_none())
        .map(|line| format!("it was made without {}, not with {line}", name(line)));
    let all: Vec<String> = changed.chain(added).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_difference_is_named() {
        let same = |before, now| difference(before, now);
        assert_eq!(same("--depth 6\n--wld", "--wld\n--depth 6"), None);
        assert_eq!(
            same("--depth 6\n--wld", "--depth 8\n--book a"),
            Some(
                "it was made with --depth 6, not --depth 8, it was made with --wld, not without --wld, \
                 it was made without --book, not with --book a"
                    .to_owned()
            )
        );
    }
}
