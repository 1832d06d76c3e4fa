//! Evaluation: how many discs a position is worth to the side to move.
//!
//! ```
//! use emilia_engine::{board::Board, eval::Evaluator};
//!
//! let evaluator = Evaluator::default();
//! let board = Board::START.play("f5".parse()?).expect("a legal move");
//! let score = evaluator.evaluate(board, &evaluator.features(board));
//! println!("{:+.2} discs for White", score.discs());
//! # assert!(score.discs().abs() < 5.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(crate) mod classic;
mod file;
mod loading;
#[allow(missing_docs, reason = "the room exports the items for users")]
pub(crate) mod network;
#[allow(missing_docs, reason = "the room exports the items for users")]
pub(crate) mod patterns;

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::board::{Board, Score, Square};

pub use file::{Weights, WeightsError};
pub use loading::{Loaded, Loading};
use network::Network;
pub use network::kernel_name;
use patterns::features::ClassRows;
pub use patterns::features::{Children, Features};

/// The evaluations there are.
///
/// ```
/// use emilia_engine::eval::EvalKind;
/// assert_eq!("network".parse(), Ok(EvalKind::Network));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EvalKind {
    /// The hand-made evaluation of the early programs.
    Classic,
    /// The learned network over pattern rows.
    Network,
}

impl EvalKind {
    /// All kinds, the strongest last.
    pub const ALL: [Self; 2] = [Self::Classic, Self::Network];
}

impl fmt::Display for EvalKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Classic => "classic",
            Self::Network => "network",
        })
    }
}

/// A text that names no evaluation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected classic or network, found {0:?}")]
pub struct ParseEvalKindError(String);

impl FromStr for EvalKind {
    type Err = ParseEvalKindError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let kind = Self::ALL.into_iter().find(|kind| kind.to_string() == text);
        kind.ok_or_else(|| ParseEvalKindError(text.to_owned()))
    }
}

/// An evaluation function: immutable, shared by all search threads.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one per process")]
pub enum Evaluator {
    /// The hand-made evaluation of the early programs.
    Classic,
    /// The learned network.
    Network(Network),
}

impl Default for Evaluator {
    /// The evaluation of the embedded weights. Unpacks them: call it once per process.
    fn default() -> Self {
        Self::load(None, None).expect("a test reads the embedded weights")
    }
}

impl Evaluator {
    /// The evaluation of this kind; by default the network, or classic if the embedded weights have no network.
    ///
    /// The weights are those of the file at `path`, or the embedded ones. An error if they cannot be read, or have no
    /// network although `kind` or `path` requires it. A file is read even if the kind needs no weights.
    ///
    /// ```
    /// use emilia_engine::eval::{EvalKind, Evaluator};
    ///
    /// let classic = Evaluator::load(Some(EvalKind::Classic), None)?;
    /// assert_eq!(classic.kind(), EvalKind::Classic);
    /// # Ok::<(), emilia_engine::eval::WeightsError>(())
    /// ```
    pub fn load(kind: Option<EvalKind>, path: Option<&Path>) -> Result<Self, WeightsError> {
        let weights = match (path, kind) {
            (Some(path), _) => Weights::load(path)?,
            (None, Some(EvalKind::Classic)) => Weights::default(),
            (None, _) => Weights::embedded()?,
        };
        match (kind, weights.network) {
            (Some(EvalKind::Classic), _) => Ok(Self::Classic),
            (_, Some(network)) => Ok(Self::Network(network)),
            (None, None) if path.is_none() => Ok(Self::Classic),
            (_, None) => Err(WeightsError::NoNetwork),
        }
    }

    /// Which evaluation this is.
    pub fn kind(&self) -> EvalKind {
        match self {
            Self::Classic => EvalKind::Classic,
            Self::Network(_) => EvalKind::Network,
        }
    }

    /// The static value in discs for the side to move; of a finished game the final score.
    ///
    /// ```
    /// use emilia_engine::board::Board;
    /// use emilia_engine::eval::Evaluator;
    ///
    /// let finished = Board { player: 0b1, opponent: 0 };
    /// assert_eq!(Evaluator::Classic.discs(finished), 64.0);
    /// ```
    pub fn discs(&self, board: Board) -> f64 {
        match board.is_over() {
            true => f64::from(board.final_score()),
            false => self.evaluate(board, &self.features(board)).discs(),
        }
    }

    /// The features of a position, computed from nothing.
    pub fn features(&self, board: Board) -> Features {
        match self {
            Self::Classic => Features::EMPTY,
            Self::Network(_) => Features::of(board),
        }
    }

    /// The features after the side to move played `square` and turned `flipped`.
    #[inline(always)]
    pub fn play(&self, features: &Features, square: Square, flipped: u64) -> Features {
        match self {
            Self::Classic => Features::EMPTY,
            Self::Network(_) => features.play(square, flipped),
        }
    }

    /// The static score of `board` for the side to move; `features` must belong to `board`.
    ///
    /// Always within `Score::MIN..=Score::MAX`. The position need not have a legal move.
    #[inline(always)]
    pub fn evaluate(&self, board: Board, features: &Features) -> Score {
        self.evaluate_rows(board, || features.class_rows())
    }

    /// The static score after the side to move of `board` played `square` and turned `flipped`, for the
    /// other side; `children` must belong to `board`. Cheaper than playing the move on features first.
    #[inline(always)]
    pub fn evaluate_child(
        &self,
        board: Board,
        children: &Children,
        square: Square,
        flipped: u64,
    ) -> Score {
        self.evaluate_rows(board.after(square, flipped), || {
            children.rows(square, flipped)
        })
    }

    #[inline(always)]
    fn evaluate_rows(&self, board: Board, rows: impl FnOnce() -> ClassRows) -> Score {
        match self {
            Self::Classic => classic::evaluate(board),
            Self::Network(network) => network.evaluate(board, &rows()),
        }
    }
}

/// For tests of any crate.
pub(crate) mod testing {
    use std::sync::{Arc, LazyLock};

    use super::Evaluator;

    /// The embedded evaluation, unpacked once for all tests.
    pub fn evaluator() -> Arc<Evaluator> {
        static EVALUATOR: LazyLock<Arc<Evaluator>> = LazyLock::new(Arc::default);
        EVALUATOR.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    #[test]
    fn kinds_round_trip_as_text() {
        for kind in EvalKind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        let error = "edax".parse::<EvalKind>().expect_err("another engine's");
        assert_eq!(
            error.to_string(),
            "expected classic or network, found \"edax\""
        );
    }

    #[test]
    fn evaluations_are_loaded_by_kind() {
        let classic = Evaluator::load(Some(EvalKind::Classic), None).expect("no weights needed");
        assert_eq!(classic.kind(), EvalKind::Classic);
        assert_eq!(
            Evaluator::default().kind(),
            EvalKind::Network,
            "the embedded weights hold a network"
        );
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("no_sections.bin");
        Weights::default()
            .save(&path)
            .expect("the temporary folder can be written");
        let load = |kind| Evaluator::load(kind, Some(&path));
        assert_eq!(
            load(Some(EvalKind::Classic))
                .expect("it needs no weights")
                .kind(),
            EvalKind::Classic
        );
        for kind in [None, Some(EvalKind::Network)] {
            let missing = load(kind).expect_err("there is no network in it");
            assert_eq!(
                missing.to_string(),
                "the weights have no network: use --eval classic"
            );
        }
        std::fs::write(&path, "not weights").expect("the temporary folder can be written");
        assert!(
            load(Some(EvalKind::Classic)).is_err(),
            "a wrong file is refused for every kind"
        );
    }
}
