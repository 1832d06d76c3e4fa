//! Outputs that grow under another name: `FILE.part` until they are complete.

use std::fs;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::append_file::AppendFile;
use super::checksum::Checksum;
use super::file::Replacement;
use super::os::files;
use super::packed::{Packer, is_packed_name};
use super::target::{Existing, Target, beside, exists};

/// An output that a killed run leaves as `FILE.part`, and that a later run can continue. Dropped without an addition, it
/// leaves no new file.
#[derive(Debug)]
pub struct PartFile {
    pub file: AppendFile,
    /// Its name once it is complete, behind all links.
    pub path: PathBuf,
    /// Its name until then; `path` for a device or a FIFO.
    pub part: PathBuf,
    existing: Existing,
    /// Bytes of a new file that this run did not add.
    copied: Option<u64>,
}

impl PartFile {
    /// Opens or makes `FILE.part`, by the rule for existing files.
    ///
    /// # Errors
    /// As [`AppendFile::open`]; when `FILE` exists and is refused.
    pub fn open(path: &Path, existing: Existing) -> io::Result<Self> {
        let target = Target::of(path)?;
        let path = target.path().to_owned();
        if matches!(target, Target::Stream(_)) {
            let file = AppendFile::open(&path, existing)?;
            return Ok(Self {
                file,
                part: path.clone(),
                path,
                existing,
                copied: None,
            });
        }
        let refuse = || match existing == Existing::Refuse && path.exists() {
            true => Err(exists(true)),
            false => Ok(()),
        };
        refuse()?;
        let part = beside(&path, ".part");
        let file = AppendFile::open(&part, existing).map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", part.display()))
        })?;
        let copied = (file.len()? == 0).then_some(0);
        file.take_rights(&path);
        let opened = Self {
            file,
            path: path.clone(),
            part,
            existing,
            copied,
        };
        // Another run may have ended since the first look.
        refuse().map(|()| opened)
    }

    /// Whether it is a device or a FIFO, which has no end.
    pub fn is_stream(&self) -> bool {
        self.part == self.path
    }

    /// Begins a new file with the text of a complete one.
    pub fn copy_from(&mut self, mut text: impl Read) -> io::Result<()> {
        io::copy(&mut text, &mut self.file).inspect_err(|_| drop(self.file.keep(0)))?;
        self.copied = Some(self.file.len()?);
        Ok(())
    }

    /// Refuses to replace a file that came meanwhile.
    fn check_name(&self) -> io::Result<()> {
        if self.existing != Existing::Refuse || !self.path.exists() {
            return Ok(());
        }
        let text = format!(
            "another file took this name meanwhile; the results are in {}",
            self.part.display()
        );
        Err(io::Error::new(ErrorKind::AlreadyExists, text))
    }

    /// Gives the file its name, compressed if that ends with `.gz`; returns the checksum of its text.
    ///
    /// # Errors
    /// When another file has taken the name of a new one, or the disk is full: `FILE.part` then stays.
    pub fn complete(mut self) -> io::Result<Checksum> {
        self.copied = None;
        let checksum = Checksum::default();
        self.check_name()?;
        let mut text = checksum.of(self.file.reader()?);
        if is_packed_name(&self.path) {
            let mut packed =
                Packer::new(Replacement::create(&self.path, self.existing)?, &self.path);
            io::copy(&mut text, &mut packed)?;
            packed.finish()?.commit()?;
            fs::remove_file(&self.part)?;
        } else {
            io::copy(&mut text, &mut io::sink())?;
            self.file.sync()?;
            // Another file may take the name between two attempts.
            files::until_free(&self.path, || {
                self.check_name()
                    .and_then(|()| fs::rename(&self.part, &self.path))
            })?;
        }
        Ok(checksum)
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        if self.copied.is_some() && self.copied == self.file.len().ok() {
            let _ = fs::remove_file(&self.part);
        }
    }
}
