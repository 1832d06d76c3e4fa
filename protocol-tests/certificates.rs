//! Certificates: written by `solve`, followed by `verify` and by a second checker, a script that shares nothing with it.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::scratch::{Outcome, Scratch};

/// Seven to twelve empties, with their published scores.
const POSITIONS: &str = "\
OOOOOO--X-OOOOX--OOXOXXXOOXXXXXOOXOXOXX-XXXXOOXOXXOOXXX-XXXXXXXO O; h7:+2; a3:+0; h5:-2; h2:-2;
XOO-OOO-XOOOXOO--OOOO-OXXOXOXOXXXXOOOXXXXXOOOOOOXOXXXXOXXXXXX-X- O; f3:-14; h8:-20; f8:-20; h2:-26;
--OOOXXXOOOOXXXXOOOXXXX-OOOXOOOXOOOXOOXXOOOXOXOO-OOOXX-OXXXXX-O- O; h3:-24; g7:-36; f8:-36;
";

/// Follows each file named, and says `accepted`, or at which byte it is refused.
const AGAIN: &str = "
import sys
sys.path.insert(0, sys.argv[1])
import verify
for name in sys.argv[2:]:
    certificate = verify.Input(open(name, 'rb'))
    try:
        print('accepted', *(f'{score:+}' for _, _, score in verify.check(certificate)))
    except verify.Refused:
        print('byte', certificate.read - 1)
";

/// A folder with a certificate of the positions, `a.proof`.
fn proven() -> Scratch {
    let scratch = Scratch::new("certificate");
    scratch.write("a.obf", POSITIONS);
    let text = scratch.succeeds("solve a.obf --certificate a.proof --leaf-empties 4");
    assert!(text.contains("3 proofs, "), "{text}");
    scratch
}

/// The bytes of a certificate with the checksum that they should have.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 4;
    let checksum = crc32fast::hash(&bytes[..end]);
    bytes[end..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

#[test]
fn solved_positions_are_verified() {
    let scratch = proven();
    let text = scratch.succeeds("verify a.proof");
    for (line, score) in text.lines().skip(1).zip(["+2", "-14", "-24"]) {
        assert!(line.split_whitespace().nth(2) == Some(score), "{text}");
    }
    assert!(text.contains("3 scores proven, "), "{text}");
    let fewer = scratch.succeeds("solve a.obf --certificate b.proof --leaf-empties 12 --json");
    assert_eq!(fewer.lines().count(), 3);
    let size = |name: &str| fs::metadata(scratch.0.join(name)).unwrap().len();
    assert!(size("b.proof") == 9 + 3 * 20 + 5 && size("a.proof") > size("b.proof"));
    assert!(
        scratch
            .succeeds("verify a.proof b.proof")
            .contains("6 scores proven, ")
    );
}

#[test]
fn both_checkers_agree_on_changed_files() {
    let scratch = proven();
    let bytes = fs::read(scratch.0.join("a.proof")).unwrap();
    // Each piece of the file is met, headers and moves, and bits of all values.
    let names: Vec<String> = (0..80)
        .map(|at| {
            let mut changed = bytes.clone();
            if at > 0 {
                changed[at * (bytes.len() - 5) / 80] ^= 1 << (at % 8);
            }
            let name = format!("{at}.proof");
            fs::write(scratch.0.join(&name), sealed(changed)).unwrap();
            name
        })
        .collect();
    let ours: Vec<String> = names.iter().map(|name| verdict(&scratch, name)).collect();
    assert!(
        ours[0].starts_with("accepted +2 -14 -24")
            && ours.iter().any(|one| one.starts_with("byte"))
    );
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/certificate");
    let mut again = Command::new("python3");
    again
        .args(["-B", "-c", AGAIN])
        .arg(folder)
        .args(&names)
        .current_dir(&scratch.0);
    // A machine without Python has no second checker.
    let Ok(output) = again.output() else { return };
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let theirs = String::from_utf8(output.stdout).unwrap();
    for ((name, ours), theirs) in names.iter().zip(&ours).zip(theirs.lines()) {
        assert_eq!(ours, theirs, "{name}");
    }
    assert_eq!(theirs.lines().count(), names.len());
}

/// The verdict of `verify` on a file: `accepted` with the scores, or the byte of the refusal.
fn verdict(scratch: &Scratch, name: &str) -> String {
    match scratch.run(&format!("verify {name}")) {
        Outcome(0, out, _) => {
            let rows: Vec<&str> = out.lines().collect();
            let scores = rows[1..rows.len() - 1]
                .iter()
                .filter_map(|row| row.split_whitespace().nth(2));
            ["accepted"]
                .into_iter()
                .chain(scores)
                .collect::<Vec<_>>()
                .join(" ")
        }
        Outcome(1, _, error) => {
            let (_, place) = error
                .split_once("byte ")
                .unwrap_or_else(|| panic!("{error}"));
            format!("byte {}", place.split([',', ':']).next().unwrap_or(place))
        }
        Outcome(code, out, error) => panic!("{name}: {code}\n{out}{error}"),
    }
}

#[test]
fn a_wrong_certificate_is_one_line() {
    let scratch = proven();
    scratch.fails(
        "verify a.obf",
        1,
        "emilia: a.obf: byte 8: no certificate: it does not begin with `othproof`",
    );
    scratch.fails("verify none.proof", 1, "reading none.proof: ");
    scratch.fails("verify .", 1, "emilia: ");
    let mut bytes = fs::read(scratch.0.join("a.proof")).unwrap();
    scratch.write("cut.proof", &bytes[..60]);
    scratch.fails(
        "verify cut.proof",
        1,
        "the file ends here, and more was expected",
    );
    scratch.write(
        "empty.proof",
        sealed([&bytes[..9], &bytes[bytes.len() - 5..]].concat()),
    );
    scratch.fails(
        "verify empty.proof",
        1,
        "empty.proof: the certificate holds no proof",
    );
    // A better score than that of the first position is named with the place where it does not follow.
    bytes[26] += 2;
    scratch.write("high.proof", sealed(bytes));
    scratch.fails(
        "verify high.proof",
        1,
        "the side that claims at least +4 cannot reach it",
    );
    scratch.fails(
        "solve a.obf --certificate a.obf/a.proof",
        1,
        "--certificate a.obf/a.proof: ",
    );
    scratch.fails(
        "solve a.obf --wld --certificate a.proof",
        2,
        "cannot be used with",
    );
    scratch.fails("solve a.obf --leaf-empties 4", 2, "--certificate");
    scratch.fails(
        "solve a.obf --certificate a.proof --leaf-empties 13",
        2,
        "13",
    );
}

#[test]
fn a_finished_game_needs_no_moves() {
    let scratch = Scratch::new("certificate-over");
    scratch.write("over.txt", format!("{} X", "X".repeat(64)));
    let text = scratch.succeeds("solve over.txt --certificate a.proof");
    assert!(text.contains("1 proofs, "), "{text}");
    assert!(scratch.succeeds("verify a.proof").contains("+64"));
}
