//! Opening a book of another program, recognized by its content.

use std::iter;
use std::path::Path;

use super::super::BookError;
use super::kind::{HEAD, Kind, kind_of};
use super::record::{Fault, Item, Items, counted};
use super::source::Source;
use super::{edax, egaroucid, ntest, zebra};

pub struct OtherBook {
    source: Source,
    pub kind: Kind,
}

impl OtherBook {
    /// Opens a file; `None` if it is no book of another program.
    pub fn open(path: &Path) -> Result<Option<Self>, BookError> {
        Self::over(Source::open(path)?)
    }

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

    pub fn bytes(&self) -> u64 {
        self.source.bytes()
    }

    pub fn items(&mut self) -> Result<Items<'_>, BookError> {
        let source = &mut self.source;
        source.seek(0)?;
        match self.kind {
            Kind::Edax => counted(source, edax::COUNT_AT, edax::record),
            Kind::EdaxText => Ok(edax::text_items(source)),
            Kind::Egaroucid => counted(source, egaroucid::COUNT_AT, egaroucid::record),
            Kind::Zebra => Ok(zebra::items(source)),
            Kind::NTest => ntest::items(source),
        }
    }

    /// All items from the beginning, damage among them as faults.
    pub fn items_and_damage(&mut self) -> Items<'_> {
        let items = self.items().unwrap_or_else(|error| Box::new(iter::once(Err(error))));
        Box::new(items.map(|item| match item {
            Err(BookError::Damaged { offset, what, .. }) => Ok(Item::Fault(Fault::new(offset, None, what))),
            item => item,
        }))
    }
}
