//! `solve --certificate`: a file that proves the scores.

use std::fmt;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::board::{Position, Score};
use crate::certificate::{Claim, MOST_LEAF_EMPTIES};
use crate::notation::diagram::write_board;
use crate::proof::{Writer, prove, table_bits};
use crate::search::{Search, Stop};
use crate::util::file::Replacement;
use crate::util::target::Existing;

/// Options of the certificate; flattened into the arguments of `solve`.
#[derive(clap::Args)]
pub struct CertificateArgs {
    /// Write a proof of each exact score to FILE, for `emilia verify`.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["wld", "resume"])]
    certificate: Option<PathBuf>,
    /// Leave positions with at most N empties to the checker, 12 at most: a larger N makes
    /// the certificate smaller and its check slower.
    #[arg(long, value_name = "N", default_value = "8", requires = "certificate")]
    #[arg(value_parser = clap::value_parser!(u8).range(..=i64::from(MOST_LEAF_EMPTIES)))]
    leaf_empties: u8,
}

pub struct Certificate<'a> {
    path: &'a Path,
    file: Replacement,
    leaf_empties: u8,
    writer: Writer<Vec<u8>>,
    proofs: usize,
    time: Duration,
}

fn writing(path: &Path) -> String {
    format!("writing {}", path.display())
}

impl CertificateArgs {
    pub fn open(&self, existing: Existing) -> Result<Option<Certificate<'_>>> {
        let Some(path) = self.certificate.as_deref() else {
            return Ok(None);
        };
        let file = Replacement::create(path, existing).with_context(|| writing(path))?;
        let writer = Writer::new(Vec::new()).expect("memory has no write errors");
        let leaf_empties = self.leaf_empties;
        let time = Duration::ZERO;
        Ok(Some(Certificate {
            path,
            file,
            leaf_empties,
            writer,
            proofs: 0,
            time,
        }))
    }
}

impl Certificate<'_> {
    /// Adds the proof that `score` is exact, made with the tables of `search`. Adds nothing if `stop` ends it.
    ///
    /// # Errors
    /// When there is no proof: two searches at 100 % have contradicted each other.
    pub fn add(
        &mut self,
        search: &mut Search,
        position: Position,
        score: Score,
        stop: &Stop,
    ) -> Result<()> {
        let begin = Instant::now();
        let empties = position.board.empty_count();
        let leaf_empties = self.leaf_empties;
        let table_bits = table_bits(empties);
        let claim = Claim {
            position,
            score: score.round_discs() as i8,
            leaf_empties,
            table_bits,
        };
        let proof = prove(search, &claim, stop);
        if let Some(proof) = &proof {
            self.writer.add(proof).expect("memory has no write errors");
            self.proofs += 1;
        }
        self.time += begin.elapsed();
        ensure!(
            proof.is_some() || stop.is_requested(),
            "{}: solved as {:+}, but a second search finds no proof of it; please report this",
            write_board(&position),
            claim.score
        );
        Ok(())
    }

    /// Writes the file; returns a summary of it.
    pub fn end(mut self) -> Result<impl fmt::Display> {
        let bytes = self.writer.end().expect("memory has no write errors");
        let written = self
            .file
            .write_all(&bytes)
            .and_then(|()| self.file.commit());
        written.with_context(|| writing(self.path))?;
        let proofs = self.proofs;
        let seconds = self.time.as_secs_f64();
        let path = self.path.display();
        Ok(format!(
            "{proofs} proofs, {} bytes, {seconds:.3} s: {path}",
            bytes.len()
        ))
    }
}
