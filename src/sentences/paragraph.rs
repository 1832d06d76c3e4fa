//! Sentences as a paragraph of a page.

use textwrap::WordSplitter::NoHyphenation;
use textwrap::core::Word;
use textwrap::{Options, WordSeparator};

use super::texts::Language;

/// Columns of a page that no terminal limits.
const COLUMNS: usize = 80;

/// Sentences as a paragraph behind a lead, whose width the lines below are indented by.
pub fn paragraph(
    lead: &str,
    sentences: &[String],
    language: Language,
    columns: Option<usize>,
) -> String {
    let indent = " ".repeat(textwrap::core::display_width(lead));
    let columns = columns.unwrap_or(COLUMNS).max(indent.len() + 20);
    let options = Options::new(columns)
        .initial_indent(lead)
        .subsequent_indent(&indent);
    // An edge, a1-h1, stays whole.
    let options = options
        .word_separator(WordSeparator::Custom(words))
        .word_splitter(NoHyphenation);
    let text = sentences.join(language.gap());
    let filled = textwrap::fill(&text, options);
    if text.is_empty() {
        lead.trim_end().to_owned()
    } else {
        filled
    }
}

/// The parts that a line may end with: those before spaces, and any Japanese letter that no mark follows.
fn words(line: &str) -> Box<dyn Iterator<Item = Word<'_>> + '_> {
    let ends =
        line.char_indices()
            .zip(line.chars().skip(1))
            .filter(|((_, last), next)| match last {
                ' ' => *next != ' ',
                _ => *last >= '\u{3000}' && !"。、：）".contains(*next) && *last != '（',
            });
    let ends = ends
        .map(|((at, last), _)| at + last.len_utf8())
        .chain([line.len()]);
    let mut start = 0;
    Box::new(ends.map(move |end| Word::from(&line[std::mem::replace(&mut start, end)..end])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_where_each_language_allows_it() {
        let filled = |text: &str, language, columns| {
            paragraph("1. X f1  ", &[text.to_owned()], language, Some(columns))
        };
        let edge = filled("Puts the first disc on the edge a1-h1.", Language::En, 45);
        assert_eq!(
            edge,
            "1. X f1  Puts the first disc on the edge\n         a1-h1."
        );
        for columns in 29..60 {
            let sentences = "空いている隅a1の斜め隣、b2にX打ち。一個だけ返す。代わりにf7なら：白の安全な手は9手。";
            let text = filled(sentences, Language::Ja, columns);
            for line in text.lines().skip(1) {
                assert!(
                    !line
                        .trim_start()
                        .starts_with(['。', '、', '：', '7', '1', '2']),
                    "{columns}:\n{text}"
                );
                assert!(
                    textwrap::core::display_width(line) <= columns,
                    "{columns}:\n{text}"
                );
            }
        }
        let french = Language::Fr.fill("instead", &[("best", "f7".to_owned().into())]);
        assert!(
            filled(&french, Language::Fr, 29)
                .lines()
                .all(|line| !line.trim_start().starts_with(':'))
        );
    }
}
