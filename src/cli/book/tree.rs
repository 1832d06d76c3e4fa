//! `emilia book tree`: the lines of a book, move by move.

use std::cmp::Reverse;
use std::path::PathBuf;

use anyhow::Result;
use serde::Serialize;

use super::arguments;
use super::show::{Child, GAMES_HEAD, children};
use crate::board::Board;
use crate::book::Book;
use crate::cli::output::{Output, fitted};

#[derive(clap::Args)]
#[command(after_help = "\
Each row is a move after those above it, the most played first. The games of a
move are those of its position, whatever moves led there. Scores are in discs
for the side that moves.

Examples:
  emilia book import my.book WTH_*.wtb
  emilia book tree my.book --plies 6 --min-games 100
  emilia book tree my.book f5d6 --json | jq -r '[.moves, .games] | @csv'")]
pub struct TreeArgs {
    /// The book
    book: PathBuf,
    /// A line of moves, or a position in any notation [default: the usual start]
    #[arg(default_value = "", hide_default_value = true)]
    position: String,
    /// Longest line, in moves
    #[arg(long, value_name = "N", default_value = "4", value_parser = clap::value_parser!(u8).range(1..=60))]
    plies: u8,
    /// Least number of games of a position; 0 shows moves that only searches know, too
    #[arg(long, value_name = "N", default_value_t = 1)]
    min_games: u64,
    /// Print JSON: one object per move
    #[arg(long)]
    json: bool,
}

pub fn tree(args: &TreeArgs) -> Result<()> {
    let book = Book::open(&args.book)?;
    let position = arguments::position(&args.position)?;
    let out = Output::in_blocks();
    let mut tree = Tree { args, book, out };
    if !args.json {
        let width = tree.width();
        tree.out
            .line(format_args!("{:<width$}{:>7}{GAMES_HEAD}", "move", "score"))?;
    }
    tree.walk(position.board, "", 1)?;
    Ok(tree.out.finish()?)
}

struct Tree<'a> {
    args: &'a TreeArgs,
    book: Book,
    out: Output,
}

/// A row as JSON.
#[derive(Serialize)]
struct Row<'a> {
    moves: &'a str,
    ply: u8,
    #[serde(flatten)]
    child: &'a Child,
}

impl Tree<'_> {
    /// The width of the moves.
    fn width(&self) -> usize {
        usize::from(self.args.plies) * 2 + 2
    }

    /// Prints the moves of a position and those after them; `line` led to it.
    fn walk(&mut self, board: Board, line: &str, ply: u8) -> Result<()> {
        let Some(found) = self.book.probe(board)? else {
            return Ok(());
        };
        let board = if found.passed { board.pass() } else { board };
        let mut moves = children(board, &found.entry, &self.book)?;
        moves.retain(|child| child.games.games >= self.args.min_games);
        moves.sort_by_key(|child| Reverse(child.games.games));
        for child in &moves {
            let line = format!("{line}{}", child.games.mv);
            self.print(child, &line, ply)?;
            let next = child
                .games
                .mv
                .square()
                .and_then(|square| board.play(square));
            if let Some(next) = next.filter(|_| ply < self.args.plies) {
                self.walk(next, &line, ply + 1)?;
            }
        }
        Ok(())
    }

    fn print(&mut self, child: &Child, moves: &str, ply: u8) -> Result<()> {
        if self.args.json {
            let row = Row { moves, ply, child };
            return Ok(self.out.line(serde_json::to_string(&row)?)?);
        }
        let indented = format!(
            "{:indent$}{}",
            "",
            child.games.mv,
            indent = 2 * usize::from(ply - 1)
        );
        let width = self.width();
        let score = child.score_text();
        let row = format!("{indented:<width$}{score:>7}{}", child.games_text());
        Ok(self.out.line(fitted(&row))?)
    }
}
