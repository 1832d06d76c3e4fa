//! The letters, digits and signs with which discs and empty squares are drawn.
//!
//! The other signs of a board decide the meaning of a sign: `0` is an empty square with `B` and `W`, White with `X` or
//! `*`, Black with `1`. The reader refuses a board with two readings.

use crate::board::Color;

/// The sign for `-1`, which is two characters in the text.
pub const MINUS_ONE: char = '\u{e000}';
/// d4, e4, d5 and e5: no game leaves them empty.
pub const CENTER: u64 = 0x0000_0018_1800_0000;
/// Signs of empty squares in every alphabet; some of them mark legal moves.
const EMPTY: &str = "-._+?~";

/// Signs of one alphabet: Black's, White's, and further signs of empty squares and legal moves.
struct Alphabet(&'static str, &'static str, &'static str);

const ALPHABETS: [Alphabet; 18] = [
    Alphabet("Xx", "Oo", "*@#!eE0□■"),
    Alphabet("Xx", "0", ""),
    Alphabet("*", "Oo", "eE"),
    Alphabet("*", "0", ""),
    Alphabet("Bb", "Ww", "*@#!eExX0□■"),
    Alphabet("●", "○", "*@#!xX0□■"),
    Alphabet("●", "Oo", "□■"),
    Alphabet("Xx", "○", ""),
    Alphabet("■", "□", "*xX"),
    Alphabet("■", "○", "□"),
    Alphabet("@", "Oo", ""),
    Alphabet("@", "0", ""),
    Alphabet("#", "Oo", ""),
    Alphabet("Dd", "Ll", "eE0"),
    Alphabet("0", "1", ""),
    Alphabet("1", "2", "0"),
    Alphabet("0", "1", "2"),
    Alphabet("1", "\u{e000}", "0"),
];

impl Alphabet {
    fn color(&self, sign: char) -> Option<Color> {
        match sign {
            sign if self.0.contains(sign) => Some(Color::Black),
            sign if self.1.contains(sign) => Some(Color::White),
            _ => None,
        }
    }

    /// The discs of a board, Black's first, if all of its signs are of this alphabet.
    fn read(&self, signs: &[char; 64]) -> Option<[u64; 2]> {
        let mut discs = [0; 2];
        for (square, &sign) in signs.iter().enumerate() {
            match self.color(sign) {
                Some(color) => discs[color as usize] |= 1 << square,
                None if EMPTY.contains(sign) || self.2.contains(sign) => {}
                None => return None,
            }
        }
        // A disc of another alphabet is a mark if the board has both discs; a digit is the only empty sign of its board.
        let [black, white] = discs.map(|discs| discs != 0);
        let digit = |sign: &char| sign.is_ascii_digit() && self.2.contains(*sign);
        let has_digit = signs.iter().any(digit);
        let has_mark = signs
            .iter()
            .any(|sign| "*@#xX".contains(*sign) && self.2.contains(*sign));
        let has = |is: &dyn Fn(&char) -> bool| {
            signs
                .iter()
                .any(|sign| self.color(*sign).is_none() && is(sign))
        };
        let has_box = has(&|sign| "□■".contains(*sign));
        let has_other = has(&|sign| !digit(sign));
        let is_doubtful = has_mark || has_box && has(&|sign| EMPTY.contains(*sign));
        (!(is_doubtful && !(black && white)) && !(has_digit && has_other)).then_some(discs)
    }
}

/// Whether `sign` may be a square.
pub fn is_sign(sign: char) -> bool {
    EMPTY.contains(sign)
        || ALPHABETS
            .iter()
            .any(|a| a.color(sign).is_some() || a.2.contains(sign))
}

pub fn is_disc(sign: char) -> bool {
    ALPHABETS
        .iter()
        .any(|alphabet| alphabet.color(sign).is_some())
}

pub struct Signs {
    /// Black's discs and White's.
    pub discs: [u64; 2],
    /// The alphabets that read it so.
    fitting: Vec<&'static Alphabet>,
    signs: [char; 64],
}

/// Why signs are no board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoBoard {
    /// No alphabet has all of them; the first sign that does not go with those before it.
    Mixed(usize),
    /// They can be read in two ways.
    Doubtful(String),
}

impl Signs {
    /// Reads the signs of all squares, a1 to h1 first.
    pub fn read(signs: &[char; 64]) -> Result<Self, NoBoard> {
        let mut read: Vec<(&Alphabet, [u64; 2])> = ALPHABETS
            .iter()
            .filter_map(|alphabet| Some((alphabet, alphabet.read(signs)?)))
            .collect();
        let is_full = |discs: &[u64; 2]| (discs[0] | discs[1]) & CENTER == CENTER;
        if read.iter().any(|(_, discs)| is_full(discs)) {
            read.retain(|(_, discs)| is_full(discs));
        }
        let Some(&(one, discs)) = read.first() else {
            return Err(NoBoard::Mixed(first_misfit(signs)));
        };
        if let Some((other, _)) = read.iter().find(|(_, other)| *other != discs) {
            let message = format!(
                "the squares may be read as {} or as {}: draw discs X and O, empty squares -",
                one.meanings(signs),
                other.meanings(signs)
            );
            return Err(NoBoard::Doubtful(message));
        }
        Ok(Self {
            discs,
            fitting: read.into_iter().map(|(alphabet, _)| alphabet).collect(),
            signs: *signs,
        })
    }

    /// The side of a sign of this board.
    pub fn color(&self, sign: char) -> Option<Color> {
        if sign.is_ascii_digit()
            && !self
                .signs
                .iter()
                .any(|other| other.is_ascii_digit() || *other == MINUS_ONE)
        {
            return None;
        }
        let mut colors = self.fitting.iter().map(|alphabet| alphabet.color(sign));
        let first = colors.next()??;
        colors.all(|color| color == Some(first)).then_some(first)
    }
}

impl Alphabet {
    /// The meanings of the signs of a board, for errors.
    fn meanings(&self, signs: &[char; 64]) -> String {
        let mut all: Vec<char> = signs.to_vec();
        all.sort_unstable();
        all.dedup();
        let name = |sign: &char| match self.color(*sign) {
            Some(color) => format!("{sign} {color}"),
            None => format!("{sign} empty"),
        };
        all.iter()
            .map(name)
            .collect::<Vec<_>>()
            .join(", ")
            .replace(MINUS_ONE, "-1")
    }
}

/// The first sign that no alphabet has together with those before it.
fn first_misfit(signs: &[char; 64]) -> usize {
    let fits = |alphabet: &Alphabet, count: usize| {
        let all = EMPTY.chars().chain(alphabet.2.chars());
        let all: Vec<char> = all
            .chain(alphabet.0.chars())
            .chain(alphabet.1.chars())
            .collect();
        signs[..count].iter().all(|sign| all.contains(sign))
    };
    (1..=64)
        .find(|&count| !ALPHABETS.iter().any(|alphabet| fits(alphabet, count)))
        .unwrap_or(64)
        - 1
}
