//! Opening a book of another program, whichever it is.

use std::path::Path;

use super::super::BookError;
use super::kind::{HEAD, Kind, kind_of};
use super::record::Item;
use super::source::Source;
use super::{edax, egaroucid, ntest, zebra};

/// An open book of another program.
pub struct OtherBook {
    source: Source,
    kind: Kind,
}

/// What is read, one after the other. After an error it goes on only where the next position can be found.
pub type Items<'a> = Box<dyn Iterator<Item = Result<Item, BookError>> + 'a>;

impl OtherBook {
    /// Opens a file; `None` if it is no book of another program.
    ///
    /// # Errors
    /// When it cannot be read, or is of a form that is known and not read.
    pub fn open(path: &Path) -> Result<Option<Self>, BookError> {
        Self::over(Source::open(path)?)
    }

    /// Bytes in the place of a file.
    #[cfg(any(test, fuzzing))]
    pub fn of_bytes(bytes: Vec<u8>) -> Result<Option<Self>, BookError> {
        Self::over(Source::of_bytes(bytes))
    }

    fn over(mut source: Source) -> Result<Option<Self>, BookError> {
        let mut head = Vec::new();
        while head.len() < HEAD {
            let Some([byte]) = source.array()? else { break };
            head.push(byte);
        }
        let kind = kind_of(&head, source.bytes()).map_err(|what| source.foreign(what))?;
        Ok(kind.map(|kind| Self { source, kind }))
    }

    /// What it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Length of the file.
    pub fn bytes(&self) -> u64 {
        self.source.bytes()
    }

    /// Everything in it, from the beginning.
    ///
    /// # Errors
    /// When the header cannot be read.
    pub fn items(&mut self) -> Result<Items<'_>, BookError> {
        let source = &mut self.source;
        source.seek(0)?;
        Ok(match self.kind {
            Kind::Edax => Box::new(edax::items(source)?),
            Kind::EdaxText => Box::new(edax::text_items(source)),
            Kind::Egaroucid | Kind::EgaroucidOld => Box::new(egaroucid::items(source, self.kind)?),
            Kind::Zebra | Kind::ZebraText => Box::new(zebra::items(source, self.kind)),
            Kind::ZebraPacked => Box::new(zebra::packed_items(source)?),
            Kind::NTest => Box::new(ntest::items(source)?),
        })
    }
}
