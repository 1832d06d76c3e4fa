//! The transposition table, shared by all threads.
//!
//! An entry is four words: the two boards in full (a hit is never false), one word of data, one word
//! of version and stamp. Two entries fill a cache line. Readers take no lock: the version word is read
//! before and after the rest, and a change between makes the probe a miss. A writer takes the entry
//! with one compare-and-swap and gives up if another one holds it.
//! The stamp counts clears and searches: clearing the table makes all older stamps void and touches
//! no entry, since writing zeros over 512 MiB takes longer than many a search.
//! Idea of the version word: Lameter's sequence locks as in Linux; replacement after Breuker et al.,
//! "Replacement schemes for transposition tables" (1994).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering, fence};

use crate::board::zobrist::Key;
use crate::board::{Board, Square};
use crate::search::params::{AGE_PLIES, PREFAULT_MIB};
use crate::search::task::Selectivity;
use crate::util::memory::{ZeroedWords, prefetch};

const ENTRY: usize = 4;
/// Words per bucket: one cache line.
const BUCKET: usize = 8;
/// Bit 0 of the version word: a writer is at work.
const LOCKED: u64 = 1;
/// The stamp is the upper half of the version word; the version counts in the lower half.
const STAMP_SHIFT: u32 = 32;
/// Bits of the stamp that count searches; those above count clears.
const AGE_BITS: u32 = 8;
/// Stamp of a table never cleared: that of zeroed memory is void.
const FIRST_STAMP: u32 = 1 << AGE_BITS;

/// The stored result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::search) struct TableEntry {
    /// The value is at least this, in 1/128 disc for the side to move.
    pub lower: i32,
    /// The value is at most this.
    pub upper: i32,
    /// Depth of the search behind the bounds, plies.
    pub depth: u8,
    pub selectivity: Selectivity,
    /// The best move found, and the best one before it.
    pub best: [Option<Square>; 2],
}

impl TableEntry {
    fn pack(self) -> u64 {
        let code = |square: Option<Square>| square.map_or(64, |s| s.index() as u64);
        debug_assert!(
            i32::from(self.lower as i16) == self.lower
                && i32::from(self.upper as i16) == self.upper
        );
        u64::from(self.lower as i16 as u16)
            | u64::from(self.upper as i16 as u16) << 16
            | u64::from(self.depth) << 32
            | (self.selectivity as u64) << 40
            | code(self.best[0]) << 48
            | code(self.best[1]) << 56
    }

    #[inline(always)]
    fn unpack(data: u64) -> Self {
        Self {
            lower: i32::from(data as i16),
            upper: i32::from((data >> 16) as i16),
            depth: (data >> 32) as u8,
            selectivity: Selectivity::ALL[(data >> 40 & 7).min(6) as usize],
            best: [
                Square::new((data >> 48) as u8),
                Square::new((data >> 56) as u8),
            ],
        }
    }

    /// Whether a search of `depth` and `selectivity` can take this entry's bounds for its own.
    #[inline(always)]
    pub fn can_cut(&self, depth: u8, selectivity: Selectivity) -> bool {
        self.depth >= depth && self.selectivity >= selectivity
    }

    /// The bound that answers a null window from `alpha` to `beta`, if one does.
    #[inline(always)]
    pub fn decides(&self, alpha: i32, beta: i32) -> Option<i32> {
        if self.lower >= beta {
            Some(self.lower)
        } else {
            (self.upper <= alpha).then_some(self.upper)
        }
    }

    /// The order of entries: by depth, then by selectivity.
    fn rank(&self) -> (u8, Selectivity) {
        (self.depth, self.selectivity)
    }
}

/// A fixed number of buckets over zeroed memory. Clones share the memory; each stores with its own stamp.
#[derive(Clone, Debug)]
pub(in crate::search) struct TranspositionTable {
    words: Arc<ZeroedWords>,
    buckets: u64,
    /// Buckets in use since the last clear, at least 1: short searches use few, because the system needs more time
    /// for 512 MiB of fresh pages than such a search takes.
    in_use: u64,
    /// The stamp of the present search.
    stamp: u32,
}

impl TranspositionTable {
    /// A table of about `mib` MiB (at least 1), or of the largest halving that the system can give.
    pub fn new(mib: usize) -> Self {
        let mut bytes = mib.max(1) << 20;
        loop {
            let len = (bytes / size_of::<u64>()).max(BUCKET);
            if let Some(words) = ZeroedWords::new(len) {
                let words = Arc::new(words);
                return Self {
                    words,
                    buckets: (len / BUCKET) as u64,
                    in_use: 1,
                    stamp: FIRST_STAMP,
                };
            }
            assert!(bytes > 1 << 16, "no memory for the smallest table");
            bytes /= 2;
        }
    }

    /// Size in MiB, rounded down.
    pub fn mib(&self) -> usize {
        (self.words.len() * size_of::<u64>()) >> 20
    }

    /// Touches memory before a search needs it, while `goes_on` returns true.
    pub fn prefault(&self, goes_on: impl FnMut() -> bool) {
        self.words
            .prefault((PREFAULT_MIB << 20) / size_of::<u64>(), goes_on);
    }

    pub fn clear(&mut self) {
        self.in_use = 1;
        self.stamp = match (self.stamp | (FIRST_STAMP - 1)).checked_add(1) {
            Some(stamp) => stamp,
            None => {
                self.words.clear();
                FIRST_STAMP
            }
        };
    }

    /// Makes at least `mib` MiB ready for use, as far as the table has them.
    pub fn reserve(&mut self, mib: u64) {
        let ample = (mib << 20) / (BUCKET * size_of::<u64>()) as u64;
        self.in_use = self.in_use.max(ample).min(self.buckets);
    }

    /// Begins a new search that needs `mib` MiB: entries of earlier searches are replaced first.
    ///
    /// A search that needs more memory than the earlier ones does not find their entries.
    pub fn new_search(&mut self, mib: u64) {
        self.reserve(mib);
        let age = self.stamp.wrapping_add(1) % FIRST_STAMP;
        self.stamp = self.stamp / FIRST_STAMP * FIRST_STAMP + age;
    }

    /// Searches since the entry with this version word was written; `None` if the table was cleared since.
    #[inline(always)]
    fn age(&self, version: u64) -> Option<u32> {
        let stamp = (version >> STAMP_SHIFT) as u32;
        (stamp >> AGE_BITS == self.stamp >> AGE_BITS)
            .then(|| self.stamp.wrapping_sub(stamp) % FIRST_STAMP)
    }

    #[inline(always)]
    fn bucket(&self, key: Key) -> &[AtomicU64; BUCKET] {
        &self.words.as_chunks::<BUCKET>().0[key.slot(self.in_use) as usize]
    }

    #[inline(always)]
    pub fn prefetch(&self, key: Key) {
        prefetch(&self.bucket(key)[0]);
    }

    /// The entry of `board`, whose key is `key`.
    #[inline(always)]
    pub fn probe(&self, key: Key, board: Board) -> Option<TableEntry> {
        let (slots, _) = self.bucket(key).as_chunks::<ENTRY>();
        slots.iter().find_map(|slot| {
            if slot[0].load(Ordering::Relaxed) != board.player {
                return None;
            }
            let (found, data, version) = read(slot)?;
            (found == board && self.age(version).is_some()).then(|| TableEntry::unpack(data))
        })
    }

    /// Stores `new` for `board`.
    ///
    /// Bounds of an entry of equal depth and selectivity are tightened; a better entry of the same
    /// board stays; else the shallower or older entry of the bucket gives way.
    pub fn store(&self, key: Key, board: Board, new: TableEntry) {
        let (slots, _) = self.bucket(key).as_chunks::<ENTRY>();
        let mut victim = (&slots[0], i32::MAX);
        for slot in slots {
            // Skip an entry that another thread writes.
            let Some((found, data, version)) = read(slot) else {
                continue;
            };
            let old = TableEntry::unpack(data);
            let age = self.age(version);
            if found == board && age.is_some() {
                let merged = merge(old, new);
                return write(slot, version, board, merged.pack(), self.stamp);
            }
            let worth = age.map_or(i32::MIN, |age| {
                i32::from(old.depth) - AGE_PLIES * age as i32
            });
            if worth < victim.1 {
                victim = (slot, worth);
            }
        }
        let version = victim.0[3].load(Ordering::Relaxed);
        write(victim.0, version, board, new.pack(), self.stamp);
    }
}

/// The entry to store for `new` on a board with an `old` entry.
fn merge(old: TableEntry, new: TableEntry) -> TableEntry {
    let best = match (new.best[0], old.best[0]) {
        (None, _) => old.best,
        (Some(_), None) => new.best,
        (first, second) if first == second => old.best,
        (first, second) => [first, second],
    };
    if old.rank() > new.rank() {
        return TableEntry {
            best: if old.best[0].is_some() {
                old.best
            } else {
                best
            },
            ..old
        };
    }
    if old.rank() == new.rank() {
        let lower = old.lower.max(new.lower);
        let upper = old.upper.min(new.upper);
        // Two heuristic searches may contradict each other: then the newer result wins.
        if lower <= upper {
            return TableEntry {
                lower,
                upper,
                best,
                ..new
            };
        }
    }
    TableEntry { best, ..new }
}

/// A whole entry (board, data, version), or `None` while it is being written.
#[inline(always)]
fn read(slot: &[AtomicU64; ENTRY]) -> Option<(Board, u64, u64)> {
    let version = slot[3].load(Ordering::Acquire);
    let board = Board {
        player: slot[0].load(Ordering::Relaxed),
        opponent: slot[1].load(Ordering::Relaxed),
    };
    let data = slot[2].load(Ordering::Relaxed);
    fence(Ordering::Acquire);
    (version & LOCKED == 0 && slot[3].load(Ordering::Relaxed) == version)
        .then_some((board, data, version))
}

/// Replaces an entry that was last seen with `version`; does nothing if it has changed since.
fn write(slot: &[AtomicU64; ENTRY], version: u64, board: Board, data: u64, stamp: u32) {
    if version & LOCKED != 0
        || slot[3]
            .compare_exchange(
                version,
                version | LOCKED,
                Ordering::Acquire,
                Ordering::Relaxed,
            )
            .is_err()
    {
        return;
    }
    // Keeps the words below from becoming visible before the lock bit.
    fence(Ordering::Release);
    slot[0].store(board.player, Ordering::Relaxed);
    slot[1].store(board.opponent, Ordering::Relaxed);
    slot[2].store(data, Ordering::Relaxed);
    let count = version.wrapping_add(2) & ((1 << STAMP_SHIFT) - 1);
    slot[3].store(count | u64::from(stamp) << STAMP_SHIFT, Ordering::Release);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::testing::{random_board, samples};
    use crate::util::rng::Rng;

    /// More than any test's table has.
    const ALL: u64 = 1 << 20;

    /// A table of 1 MiB, all of it in use.
    fn in_use() -> TranspositionTable {
        let mut table = TranspositionTable::new(1);
        table.new_search(ALL);
        table
    }

    fn entry(lower: i32, upper: i32, depth: u8) -> TableEntry {
        TableEntry {
            lower,
            upper,
            depth,
            selectivity: Selectivity::Full,
            best: [Square::new(19), None],
        }
    }

    #[test]
    fn entries_survive_packing() {
        for best in [
            [None, None],
            [Square::new(0), None],
            [Square::new(63), Square::new(7)],
        ] {
            for selectivity in Selectivity::ALL {
                let entry = TableEntry {
                    lower: -16384,
                    upper: 8192,
                    depth: 60,
                    selectivity,
                    best,
                };
                assert_eq!(TableEntry::unpack(entry.pack()), entry);
            }
        }
    }

    #[test]
    fn what_was_stored_is_found_and_nothing_else() {
        let table = in_use();
        let mut rng = Rng::new(1);
        for _ in 0..100_000 {
            let board = random_board(&mut rng);
            let key = board.hash();
            assert_eq!(table.probe(key, board), None);
            table.store(key, board, entry(-5, 5, 3));
            assert_eq!(table.probe(key, board), Some(entry(-5, 5, 3)));
            assert_eq!(table.probe(board.pass().hash(), board.pass()), None);
        }
    }

    #[test]
    fn bounds_tighten_and_deeper_entries_stay() {
        let table = in_use();
        let key = Key::from_bits(9);
        let board = Board::START;
        for (stored, expected) in [
            ((-100, 16384, 5), (-100, 16384, 5)),
            ((-16384, 50, 5), (-100, 50, 5)),
            ((0, 0, 4), (-100, 50, 5)),
            ((60, 16384, 5), (60, 16384, 5)),
            ((1, 2, 6), (1, 2, 6)),
        ] {
            let of = |(lower, upper, depth)| entry(lower, upper, depth);
            table.store(key, board, of(stored));
            assert_eq!(table.probe(key, board), Some(of(expected)), "{stored:?}");
        }
    }

    #[test]
    fn the_shallower_or_older_entry_gives_way() {
        const KEY: Key = Key::from_bits(0);
        let mut table = in_use();
        let board = |n: u64| Board {
            player: n,
            opponent: 1 << 63,
        };
        table.store(KEY, board(1), entry(0, 1, 9));
        table.store(KEY, board(2), entry(0, 1, 3));
        table.store(KEY, board(4), entry(0, 1, 4));
        assert!(table.probe(KEY, board(1)).is_some() && table.probe(KEY, board(2)).is_none());
        table.new_search(ALL);
        table.store(KEY, board(2), entry(0, 1, 1));
        table.store(KEY, board(8), entry(0, 1, 2));
        table.new_search(ALL);
        table.store(KEY, board(16), entry(0, 1, 1));
        assert!(table.probe(KEY, board(16)).is_some());
        table.clear();
        assert!(table.probe(KEY, board(16)).is_none());
    }

    #[test]
    fn a_cleared_table_forgets_and_goes_on_as_a_new_one() {
        const KEY: Key = Key::from_bits(0);
        let board = |n: u64| Board {
            player: n,
            opponent: 1 << 63,
        };
        let mut table = in_use();
        for age in [0, 1, 200, 255, 256, 700] {
            for stamp in [table.stamp, u32::MAX - FIRST_STAMP, u32::MAX] {
                table.stamp = stamp;
                (0..age).for_each(|_| table.new_search(ALL));
                table.store(KEY, board(1), entry(0, 1, 50));
                table.store(KEY, board(2), entry(0, 1, 50));
                assert!(
                    table.probe(KEY, board(1)).is_some() && table.probe(KEY, board(2)).is_some()
                );
                table.clear();
                table.new_search(ALL);
                assert!(
                    table.probe(KEY, board(1)).is_none() && table.probe(KEY, board(2)).is_none()
                );
                // Void entries are replaced first, at any depth; then shallow ones.
                table.store(KEY, board(2), entry(3, 4, 1));
                table.store(KEY, board(1), entry(5, 6, 2));
                assert_eq!(table.probe(KEY, board(2)), Some(entry(3, 4, 1)));
                assert_eq!(table.probe(KEY, board(1)), Some(entry(5, 6, 2)));
            }
        }
    }

    /// Every stored entry's data is a function of its board, so any mixture of two writes shows.
    #[test]
    fn threads_never_see_a_mixed_entry() {
        let table = in_use();
        let of = |n: u64| {
            let board = Board {
                player: n.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
                opponent: !n << 1,
            };
            let value = (n % 8000) as i32;
            let best = [Square::new((n % 64) as u8), None];
            (
                board,
                TableEntry {
                    best,
                    ..entry(value, value, (n % 60) as u8)
                },
            )
        };
        std::thread::scope(|scope| {
            for seed in 0..4 {
                let table = &table;
                scope.spawn(move || {
                    let mut rng = Rng::new(seed);
                    let mut hits = 0;
                    for _ in 0..samples(300_000) {
                        let n = u64::from(rng.below(64));
                        let (board, entry) = of(n);
                        // Four buckets only, so that threads meet.
                        let key = Key::from_bits(n % 4);
                        if let Some(found) = table.probe(key, board) {
                            assert_eq!(
                                TableEntry {
                                    best: [found.best[0], None],
                                    ..found
                                },
                                entry
                            );
                            hits += 1;
                        }
                        table.store(key, board, entry);
                    }
                    assert!(hits > 0);
                });
            }
        });
    }

    #[test]
    fn sizes_are_as_asked() {
        for mib in [1, 3, 16] {
            assert_eq!(TranspositionTable::new(mib).mib(), mib);
        }
        assert!(TranspositionTable::new(65536).mib() >= 1);
    }

    #[test]
    fn a_short_search_of_an_empty_table_touches_a_part_of_it() {
        let mut rng = Rng::new(5);
        let boards: Vec<Board> = (0..20_000).map(|_| random_board(&mut rng)).collect();
        let mut table = TranspositionTable::new(16);
        let part = (2 << 20) / size_of::<u64>();
        let fill = |table: &TranspositionTable| {
            boards
                .iter()
                .for_each(|&b| table.store(b.hash(), b, entry(0, 128, 5)))
        };
        let found = |table: &TranspositionTable| {
            boards
                .iter()
                .filter(|&&b| table.probe(b.hash(), b).is_some())
                .count()
        };
        let beyond = |table: &TranspositionTable| {
            table.words[part..]
                .iter()
                .any(|word| word.load(Ordering::Relaxed) != 0)
        };
        table.new_search(2);
        fill(&table);
        assert!(found(&table) > 19_000 && !beyond(&table));
        // A short search after it finds all of that, a long one uses the whole table from then on.
        table.new_search(1);
        assert!(found(&table) > 19_000);
        table.new_search(ALL);
        fill(&table);
        assert!(found(&table) > 19_900 && beyond(&table));
        table.new_search(1);
        assert!(found(&table) > 19_900);
        table.clear();
        assert_eq!(found(&table), 0);
        table.new_search(1);
        assert_eq!((found(&table), table.in_use), (0, (1 << 20) / 64));
    }
}
