//! Does an engine keep to the protocols? One check per item of a list, run against any program.
//!
//! The numbers up to 80 are those of the conformance list that this engine was built to: 1-44 NBoard, 45-72 GTP,
//! 73-80 both. 81-89 are of Edax's console, 90-94 of Cassio's protocol. Each check starts a process of its own, so that no failure hides another.

mod both;
mod cassio;
mod check;
mod edax;
mod gtp;
mod item;
mod nboard;
mod probe;
mod protocol;

pub use check::{Miss, Target};
pub use item::{Finding, Item};
pub use protocol::Protocol;

/// The number of the last item.
pub const LAST_ITEM: u8 = 94;

/// The items for a protocol, in order.
pub fn items(protocol: Protocol) -> Vec<&'static Item> {
    let (own, shared): (&[Item], &[Item]) = match protocol {
        Protocol::NBoard => (nboard::ITEMS, both::ITEMS),
        Protocol::Gtp => (gtp::ITEMS, both::ITEMS),
        Protocol::Edax => (edax::ITEMS, &[]),
        Protocol::Cassio => (cassio::ITEMS, &[]),
    };
    own.iter().chain(shared).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_complete_and_in_order() {
        let numbers = |protocol| items(protocol).iter().map(|item| item.number).collect::<Vec<_>>();
        assert_eq!(numbers(Protocol::NBoard), (1..=44).chain(73..=80).collect::<Vec<_>>());
        assert_eq!(numbers(Protocol::Gtp), (45..=80).collect::<Vec<_>>());
        let others = [Protocol::Edax, Protocol::Cassio].map(numbers).concat();
        assert_eq!(others, (81..=LAST_ITEM).collect::<Vec<_>>());
    }

    #[test]
    fn an_engine_that_says_nothing_fails() {
        let target = Target { command: "true".to_owned(), protocol: Protocol::NBoard, folder: None };
        let finding = items(Protocol::NBoard)[1].run(&target);
        assert!(matches!(finding.result, Err(Miss::Fail(_))), "{finding}");
        assert!(finding.to_string().starts_with("  2  FAIL"));
    }
}
