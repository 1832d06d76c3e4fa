//! Every number of the search; those that may be tuned with range and step.
//!
//! They are constants. In a build with the feature `tune` each searcher may have values of its own for the
//! tunable ones: `tuning.rs` lays them down in every thread that searches, where [`Number::get`] finds them.

use std::ops::RangeInclusive;
use std::time::Duration;

/// A number that the search reads.
#[derive(Clone, Copy)]
pub(super) struct Number {
    value: i32,
    /// Its place among [`TUNABLES`], if it is one of them.
    #[cfg(feature = "tune")]
    tunable: Option<usize>,
}

impl Number {
    /// One that is the same in every build.
    pub const fn fixed(value: i32) -> Self {
        Self {
            value,
            #[cfg(feature = "tune")]
            tunable: None,
        }
    }

    /// Its value for the search that this thread works for.
    #[inline(always)]
    pub fn get(self) -> i32 {
        #[cfg(feature = "tune")]
        if let Some(index) = self.tunable {
            return VALUES.with(|values| values[index].get());
        }
        self.value
    }
}

/// What is known of a number that may be tuned; its values are `low`, `low + step` and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tunable {
    /// As in this file.
    pub name: &'static str,
    /// The value that it is built with.
    pub value: i32,
    /// Its smallest value.
    pub low: i32,
    /// Its largest value.
    pub high: i32,
    /// The distance of its values: about the least change that shows in play.
    pub step: i32,
    /// What it is.
    pub doc: &'static str,
}

/// Whether a value and its range lie on one grid of steps.
const fn is_sound(value: i32, low: i32, high: i32, step: i32) -> bool {
    let is_between = low <= value && value <= high && low < high;
    is_between && step > 0 && (value - low) % step == 0 && (high - low) % step == 0
}

/// Declares numbers that may be tuned, and the list of them.
macro_rules! tunables {
    ($($(#[doc = $doc:literal])* $name:ident: $value:literal, $low:literal ..= $high:literal, $step:literal;)*) => {
        $($(#[doc = $doc])* pub(super) const $name: Number = Number {
            value: $value,
            #[cfg(feature = "tune")]
            tunable: Some(Place::$name as usize),
        };)*

        $(const _: () = assert!(is_sound($value, $low, $high, $step));)*

        /// The numbers of the search that may be tuned, in the order of their file.
        pub static TUNABLES: &[Tunable] = &[$(Tunable {
            name: stringify!($name),
            value: $value,
            low: $low,
            high: $high,
            step: $step,
            doc: concat!($($doc),*).trim_ascii_start(),
        }),*];

        #[cfg(feature = "tune")]
        #[expect(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Place { $($name),* }

        #[cfg(feature = "tune")]
        thread_local! {
            /// The values for the search that this thread works for, in the order of [`TUNABLES`].
            pub(super) static VALUES: [std::cell::Cell<i32>; TUNABLES.len()] =
                const { [$(std::cell::Cell::new($value)),*] };
        }
    };
}

tunables! {
    /// Aspiration half-width of midgame iterations, 1/128 disc.
    ASPIRATION: 384, 64..=2048, 32;
    /// Shallowest iteration with an aspiration window, plies.
    ASPIRATION_DEPTH: 5, 2..=12, 1;
    /// Aspiration half-width of solving passes, 1/128 disc; on the grid of even discs.
    ASPIRATION_END: 256, 256..=2048, 256;
    /// Plies before the end at which midgame iterations give way to solving.
    SOLVE_JUMP: 9, 4..=16, 1;
    /// The same where a solve would hardly end within the limits. Leaves nearer to the end are not evaluated well.
    FALLBACK_JUMP: 5, 4..=16, 1;
    /// Nodes that a solve's first pass may take, in those of the search before it: the median is 11 to 60 by empties, but
    /// one that does not end has cost all nodes for nothing.
    SOLVE_COST_NODES: 80, 0..=200, 1;
    /// The same for time, of which a solve's nodes take a third as much.
    SOLVE_COST_TIME: 40, 0..=200, 1;
    /// As SOLVE_JUMP, where the exact score is asked for and no clock runs.
    EXACT_JUMP: 13, 4..=20, 1;
    /// Most empties of the null windows that the endgame solver takes.
    SOLVER_EMPTIES: 13, 8..=16, 1;
    /// Nodes with so few empties are solved in midgame searches too, if far enough from the root.
    EXTENSION_EMPTIES: 10, 0..=13, 1;
    /// How far that is, in moves and passes.
    EXTENSION_PLY: 12, 0..=40, 1;
    /// Positions with so few empties are solved at once, without midgame iterations.
    TRIVIAL_EMPTIES: 8, 0..=12, 1;
    /// Shallowest midgame node that uses the table, plies.
    TABLE_DEPTH: 3, 2..=6, 1;
    /// Shallowest midgame node that looks for a cutting child in the table, plies.
    ETC_DEPTH: 5, 3..=12, 1;
    /// The same for solving nodes, empties.
    ETC_EMPTIES: 14, 14..=24, 1;
    /// Shallowest midgame node whose moves are ordered by evaluation, plies.
    EVAL_ORDER_DEPTH: 4, 3..=12, 1;
    /// Fewest empties at which solving nodes order their moves by evaluation.
    EVAL_ORDER_EMPTIES: 14, 8..=24, 1;
    /// A forced move costs no depth so near to the leaves, plies. Higher up, runs of forced moves on
    /// one side would leave the whole depth to the other: a tree without cuts.
    FORCED_DEPTH: 2, 0..=4, 1;
    /// Lowest window, in discs, for which solving nodes count the opponent's stable discs.
    STABILITY_DISCS: 30, 0..=62, 2;
    /// Shallowest midgame node that tries ProbCut, plies.
    PROBCUT_DEPTH: 3, 3..=10, 1;
    /// Fewest empties of a solving node that tries ProbCut.
    PROBCUT_EMPTIES: 13, 10..=20, 1;
    /// Twice the depth over this, and one if it is odd, is the depth of ProbCut's search.
    PROBCUT_DIVISOR: 4, 3..=6, 1;
    /// The same when solving.
    PROBCUT_SOLVE_DIVISOR: 5, 3..=8, 1;
    /// Thousandths by which deviations of midgame searches fall with each move that both sides together have beyond the
    /// usual number for the empties.
    MOBILITY_SPREAD: 30, 0..=60, 1;
    /// ProbCut searches within one another, at most.
    PROBCUT_NESTING: 2, 1..=4, 1;
    /// Shallowest midgame node whose later moves are first searched two plies less deep, plies.
    REDUCTION_DEPTH: 6, 4..=12, 1;
    /// Moves of such a node that are searched in full at once.
    REDUCTION_MOVES: 3, 1..=10, 1;
    /// Ordering: weight of one opponent move (a corner counts twice).
    ORDER_MOBILITY: 256, 0..=4096, 16;
    /// Ordering: weight of one empty next to our discs.
    ORDER_POTENTIAL: 32, 0..=1024, 8;
    /// The same when solving, where the fewest replies make the smallest tree.
    SOLVE_ORDER_POTENTIAL: 48, 0..=1024, 8;
    /// Ordering when solving: weight of the square's class.
    SOLVE_ORDER_SQUARE: 8, 0..=512, 4;
    /// Ordering when solving: weight of a disc on the border that can never be turned.
    SOLVE_ORDER_STABLE: 72, 0..=512, 4;
    /// Ordering: weight of the child's evaluation, 1/16 per 1/128 disc.
    ORDER_EVAL: 48, 0..=256, 1;
    /// The same when solving.
    SOLVE_ORDER_EVAL: 14, 0..=256, 1;
}

const _: () = assert!(ASPIRATION_END.value % 256 == 0, "solving windows lie on the grid of even discs");

// ProbCut.

/// By level of selectivity but 100 %, where nothing is cut: how many deviations a shallow score must be outside of
/// the window to be believed, in hundredths.
pub(super) type Thresholds = [i32; 6];

/// Those of midgame searches: measured shares of the differences, whose tails are longer than those of a normal
/// distribution. Within 1.1 deviations lie 75 to 83 %, within 0.95 70 to 75 (`emilia train probcut --check`).
///
/// For 73 %, 110 instead of 90 lost 24 Elo [11, 38] at 40,000 nodes a move, and 70 gained no more. The first is 66,
/// within which lie 54 to 59 %: at 57 the searches within a solve mislead it, and solves of 21 to 24 empties cost 1 to
/// 4 % more nodes.
pub(super) const THRESHOLDS: Thresholds = [66, 95, 140, 200, 260, 330];
/// Those of solving: of a normal distribution. Lower ones cost solves of 21 to 24 empties 2 % more nodes.
pub(super) const SOLVE_THRESHOLDS: Thresholds = [70, 110, 150, 200, 260, 330];
/// Moves that the two sides of a position have together, usually, by four empties: the mean of WTHOR's games since 2000
/// (every fortieth, 1,935).
pub(super) const USUAL_MOVES: [i32; 17] = [2, 6, 9, 12, 15, 18, 20, 22, 23, 23, 23, 22, 20, 17, 9, 8, 8];
/// How far deviations may be from the usual ones by the moves that there are, in thousandths.
pub(super) const SPREAD: RangeInclusive<i32> = 500..=1600;

// The tree and its windows.

/// Factor by which an aspiration window grows when it fails.
pub(super) const ASPIRATION_GROWTH: i32 = 2;
/// Deepest search that keeps no list of moves and asks no table, plies.
pub(super) const SHALLOW_DEPTH: i32 = 2;
/// How much less deep a late move is first searched, plies: the parity kept.
pub(super) const REDUCTION_PLIES: i32 = 2;
/// Worth of a square in itself, from long custom: corners best, the squares next to them worst. A quarter of the board.
pub(super) const SQUARE_CLASS: [[u8; 4]; 4] =
    [[18, 4, 16, 12], [4, 2, 6, 8], [16, 6, 14, 10], [12, 8, 10, 0]];
/// Up to this many empties the first pass of a solve costs what SOLVE_COST_NODES and SOLVE_COST_TIME say.
pub(super) const SOLVE_COST_EMPTIES: u32 = 31;
/// With this many more it costs twice as much.
pub(super) const SOLVE_COST_DOUBLING: f64 = 3.0;
/// Searches of this depth and more solve earlier than they look ahead,
pub(super) const EARLY_SOLVE_DEPTH: u8 = 8;
/// by this many plies,
pub(super) const EARLY_SOLVE_PLIES: u8 = 4;
/// from at most this many empties on.
pub(super) const EARLY_SOLVE_EMPTIES: u8 = 20;

// What is remembered, and threads.

/// Table that is ample for a solve of AMPLE_EMPTIES or fewer, MiB; twice as much for each more.
pub(super) const AMPLE_MIB: u64 = 8;
/// See AMPLE_MIB.
pub(super) const AMPLE_EMPTIES: u32 = 22;
/// So much of a table is prefaulted before it is needed. What is more than that may never be.
pub(super) const PREFAULT_MIB: usize = 256;
/// Plies of depth that an entry of the table is worth less for each search since it was written.
pub(super) const AGE_PLIES: i32 = 8;
/// Static scores remembered; with eight bytes each they stay in the second-level cache beside the evaluation's tables.
pub(super) const EVAL_CACHE_ENTRIES: usize = 1 << 16;
/// Shallowest midgame node whose moves are shared with idle threads, plies.
pub(super) const SPLIT_DEPTH: i32 = 5;
/// Fewest empties of a solving node whose moves are shared.
pub(super) const SPLIT_EMPTIES: i32 = 14;
/// Looks for work before a waiting thread lets others run between its looks.
pub(super) const YIELD_SPINS: u32 = 200;
/// Looks for work before an idle thread goes to sleep.
pub(super) const SPLIT_SPINS: u32 = 4000;
/// Nodes of a thread between two looks at clock, stop flag and limit of nodes. With the largest tree of the solver
/// below LOOK_EMPTIES, which looks at none of them, a thread stays within 2,048 nodes of the limit.
pub(super) const LOOK_NODES: u64 = 1024;
/// Nodes by which the first iteration may exceed the limit where it solves the position.
pub(super) const FIRST_GRACE_NODES: u64 = 1024;

// The endgame solver. They are read at each of its nodes: the compiler has to know them.

/// Up to here a node that is expected to cut tries its moves in a fixed order; from here on sorting them pays.
pub(super) const PLAIN_CUT_EMPTIES: u32 = 6;
/// The same for a node all of whose moves are expected to fail: then their order does not matter.
pub(super) const PLAIN_ALL_EMPTIES: u32 = 8;
/// Up to here results are kept in the near cache.
pub(super) const NEAR_EMPTIES: u32 = 7;
/// Entries of the near cache, as a power of two. With the far one 512 KiB and 2 MiB: what second-level caches hold.
/// Larger ones save nodes, but their slots take longer to come than the nodes took.
pub(super) const NEAR_CACHE_BITS: u32 = 15;
/// The same of the far cache.
pub(super) const FAR_CACHE_BITS: u32 = 17;
/// From here on the children of a node are looked up before any is searched.
pub(super) const PROBE_EMPTIES: u32 = 12;
/// From here on a node looks at clock, stop flag and limit of nodes when its thread is due. All nodes above it have to
/// notice that the search has ended, so they must be sorted ones.
pub(super) const LOOK_EMPTIES: u32 = 9;
const _: () = assert!(LOOK_EMPTIES > PLAIN_ALL_EMPTIES && LOOK_EMPTIES > PLAIN_CUT_EMPTIES);
/// A child with fewer replies, corners counted twice, is searched before its siblings are looked at.
pub(super) const FEW_REPLIES: u32 = 2;
/// Below this target too many discs would have to be stable for a cut.
pub(super) const STABILITY_TARGET: i32 = 33;
/// Discs of the opponent that are expected not to be stable in any case.
pub(super) const STABILITY_MARGIN: i32 = 8;
/// As STABILITY_TARGET, for the bound by the end of the game, which is quicker.
pub(super) const END_STABILITY_TARGET: i32 = 24;
/// As STABILITY_MARGIN, for the same.
pub(super) const END_STABILITY_MARGIN: i32 = 4;
/// Order: weight of one reply (a corner counts twice).
pub(super) const RANK_REPLIES: i32 = 28;
/// Order: weight of a disc on the border that can never be turned.
pub(super) const RANK_STABLE: i32 = 4;
/// Order: weight of a square alone in its region.
pub(super) const RANK_SINGLE: i32 = 8;
/// Order: weight of a square next to a corner, against it.
pub(super) const RANK_CORNER_NEIGHBOUR: i32 = 2;

// The clock: see `task/timer.rs`. Parts are in thousandths.

/// Kept back from every time limit, but no more than MARGIN_PART of it.
pub(super) const TIME_MARGIN: Duration = Duration::from_millis(3);
/// See TIME_MARGIN.
pub(super) const MARGIN_PART: u32 = 100;
/// A search that waits for its weights keeps one part in this many of a move's time for itself.
pub(super) const MOVE_WAIT_DIVISOR: u32 = 4;
/// It waits for at most one part in this many of a game's clock.
pub(super) const CLOCK_WAIT_DIVISOR: u32 = 8;
/// Part of its time that a move without a choice may take.
pub(super) const FORCED_PART: u32 = 10;
/// Kept back from a game's clock for each move to come, but no more than OVERHEAD_PART of it.
pub(super) const MOVE_OVERHEAD: Duration = Duration::from_millis(2);
/// See MOVE_OVERHEAD.
pub(super) const OVERHEAD_PART: u32 = 500;
/// Never used of a game's clock: this much, or RESERVE_PART of it if that is more.
pub(super) const CLOCK_RESERVE: Duration = Duration::from_millis(20);
/// See CLOCK_RESERVE.
pub(super) const RESERVE_PART: u32 = 20;
/// Empties that are solved at once: moves from here on get no share of a game's clock.
pub(super) const SOLVED_EMPTIES: u32 = 14;
/// Moves that the clock is shared among besides those before.
pub(super) const SHARE_MOVES: u32 = 2;
/// Empties above which a move belongs to the opening.
pub(super) const OPENING_EMPTIES: u32 = 48;
/// First factor, the stage of the game: what a move of the opening gets of an even share, and what a later one gets.
pub(super) const STAGE_FACTOR: [u32; 2] = [960, 1600];
/// Second factor, stability: the least where all iterations named one move, the most where the last one changed it.
pub(super) const STABILITY_FACTOR: RangeInclusive<u32> = 600..=1600;
/// Third factor, the next iteration: it costs about twice all the earlier ones together, so none begins after this.
pub(super) const BEGIN_FACTOR: u32 = 500;
/// A move ends after this many thousandths of its share,
pub(super) const HARD_FACTOR: u32 = 3000;
/// and when it has taken this part of the clock,
pub(super) const HARD_PART: u32 = 500;
/// or as much of the increment as lies within this part of it.
pub(super) const HARD_INCREMENT_PART: u32 = 900;
/// Most of the clock that a share can be.
pub(super) const SHARE_PART: u32 = 333;
/// Part of the increment that is used at once.
pub(super) const INCREMENT_PART: u32 = 800;
