//! Every number of the search; tunable ones with range and step.
//!
//! They are constants. In a build with the feature `tune` each searcher may use other values: `tuning.rs` stores them in
//! every searching thread, where [`Number::get`] reads them.

use std::ops::RangeInclusive;
use std::time::Duration;

/// A number that the search reads.
#[derive(Clone, Copy)]
pub(super) struct Number {
    value: i32,
    /// Its place among [`TUNABLES`], if it is one of them.
    tunable: Option<usize>,
}

/// Whether the numbers of this build can be set.
pub(super) const CAN_TUNE: bool = cfg!(feature = "tune");

impl Number {
    /// A number that no build can tune.
    pub const fn fixed(value: i32) -> Self {
        Self {
            value,
            tunable: None,
        }
    }

    /// Its value for the search that this thread works for.
    #[inline(always)]
    pub fn get(self) -> i32 {
        match self.tunable {
            Some(index) if CAN_TUNE => VALUES.with(|values| values[index].get()),
            _ => self.value,
        }
    }
}

/// A tunable number; its values are `low`, `low + step` and so on.
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
    /// Its meaning.
    pub doc: &'static str,
}

/// Whether value and range are on one grid of steps.
const fn is_sound(value: i32, low: i32, high: i32, step: i32) -> bool {
    let is_between = low <= value && value <= high && low < high;
    is_between && step > 0 && (value - low) % step == 0 && (high - low) % step == 0
}

/// Declares numbers that may be tuned, and the list of them.
macro_rules! tunables {
    ($($(#[doc = $doc:literal])* $name:ident: $value:literal, $low:literal ..= $high:literal, $step:literal;)*) => {
        $($(#[doc = $doc])* pub(super) const $name: Number = Number {
            value: $value,
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

        #[expect(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Place { $($name),* }

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
    /// Most empties of a node that a midgame search solves, if it is far enough from the root.
    EXTENSION_EMPTIES: 10, 0..=13, 1;
    /// That distance from the root, in moves and passes.
    EXTENSION_PLY: 12, 0..=40, 1;
    /// Most empties of a position that is solved at once, without midgame iterations.
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
    /// Ordering without evaluations: bonus of the first killer move.
    ORDER_KILLER: 512, 0..=4096, 32;
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

const _: () = assert!(
    ASPIRATION_END.value % 256 == 0,
    "solving windows are on the grid of even discs"
);

// ProbCut.

/// Twice the depth over this, and one if it is odd, is the depth of ProbCut's search; `probcut_table.rs` depends on it.
pub(super) const PROBCUT_DIVISOR: i32 = 4;
/// The same when solving.
pub(super) const PROBCUT_SOLVE_DIVISOR: i32 = 5;
/// For each level of selectivity below 100 %: by how many hundredths of a deviation a shallow score must miss the window
/// for a cut.
pub(super) type Thresholds = [i32; 6];

/// Midgame thresholds: measured shares of the differences, whose tails are longer than those of a normal
/// distribution. 1.1 deviations cover 75 to 83 %, 0.95 cover 70 to 75 % (`emilia-lab reliability`).
///
/// For 73 %, 110 instead of 90 lost 24 Elo [11, 38] at 40,000 nodes a move, and 70 gained no more. The first, 66,
/// covers 54 to 59 %: at 57 the searches within a solve mislead it, and solves of 21 to 24 empties cost 1 to
/// 4 % more nodes.
pub(super) const THRESHOLDS: Thresholds = [66, 95, 140, 200, 260, 330];
/// Solving thresholds: those of a normal distribution. Lower ones cost solves of 21 to 24 empties 2 % more nodes.
pub(super) const SOLVE_THRESHOLDS: Thresholds = [70, 110, 150, 200, 260, 330];
/// Usual number of moves of both sides together, by four empties: the mean of WTHOR's games since 2000 (every fortieth,
/// 1,935).
pub(super) const USUAL_MOVES: [i32; 17] =
    [2, 6, 9, 12, 15, 18, 20, 22, 23, 23, 23, 22, 20, 17, 9, 8, 8];
/// Range of the factor by which the number of moves changes a deviation, in thousandths.
pub(super) const SPREAD: RangeInclusive<i32> = 500..=1600;

// The tree and its windows.

/// Factor by which an aspiration window grows when it fails.
pub(super) const ASPIRATION_GROWTH: i32 = 2;
/// Deepest search that keeps no list of moves and asks no table, plies.
pub(super) const SHALLOW_DEPTH: i32 = 2;
/// Reduction of a late move, plies; an even number keeps the parity.
pub(super) const REDUCTION_PLIES: i32 = 2;
/// Traditional value of a square: corners best, the squares next to them worst. A quarter of the board.
pub(super) const SQUARE_CLASS: [[u8; 4]; 4] = [
    [18, 4, 16, 12],
    [4, 2, 6, 8],
    [16, 6, 14, 10],
    [12, 8, 10, 0],
];
/// Most empties for which SOLVE_COST_NODES and SOLVE_COST_TIME hold.
pub(super) const SOLVE_COST_EMPTIES: u32 = 31;
/// Number of further empties that double the cost.
pub(super) const SOLVE_COST_DOUBLING: f64 = 3.0;
/// Searches of this depth and more solve earlier than they look ahead,
pub(super) const EARLY_SOLVE_DEPTH: u8 = 8;
/// by this many plies,
pub(super) const EARLY_SOLVE_PLIES: u8 = 4;
/// from at most this many empties on.
pub(super) const EARLY_SOLVE_EMPTIES: u8 = 20;

// Tables and threads.

/// Table size that suffices for a solve of AMPLE_EMPTIES or fewer, MiB; it doubles with each further empty square.
pub(super) const AMPLE_MIB: u64 = 8;
pub(super) const AMPLE_EMPTIES: u32 = 22;
/// Most memory of a table that is prefaulted: few searches use more.
pub(super) const PREFAULT_MIB: usize = 256;
/// Plies of depth by which the value of a table entry falls with each later search.
pub(super) const AGE_PLIES: i32 = 8;
/// Entries of the cache of static scores: at eight bytes each they fit the second-level cache with the evaluation's tables.
pub(super) const EVAL_CACHE_ENTRIES: usize = 1 << 16;
/// The stack that a thread is given to search on: for deep recursion over nodes with features, and for joining below
/// where it waits. Address space only, touched as needed.
pub const STACK_BYTES: usize = 16 << 20;
/// Shallowest midgame node whose moves are shared with idle threads, plies.
pub(super) const SPLIT_DEPTH: i32 = 5;
/// Fewest empties of a solving node whose moves are shared.
pub(super) const SPLIT_EMPTIES: i32 = 14;
/// Least work at a split point for which a sleeping thread is called, which takes some 50 µs: the nodes of a move times the
/// moves left.
pub(super) const CALL_NODES: u64 = 500;
/// Looks of a waiting thread, some 50 µs, before a helper sleeps or an owner searches the move of a helper.
pub(super) const WAIT_SPINS: u32 = 2500;
/// Nodes of a thread between two checks of clock, stop flag and node limit. The largest solver tree below LOOK_EMPTIES,
/// which has no check, keeps a thread within 2,048 nodes of the limit.
pub(super) const LOOK_NODES: u64 = 1024;
/// Nodes by which the first iteration may exceed the limit where it solves the position.
pub(super) const FIRST_GRACE_NODES: u64 = 1024;

// The endgame solver. They are read at each of its nodes: the compiler has to know them.

/// Most empties at which an expected cut node tries its moves in a fixed order; with more, sorting pays.
pub(super) const PLAIN_CUT_EMPTIES: u32 = 6;
/// The same for an expected all node, where the order does not matter.
pub(super) const PLAIN_ALL_EMPTIES: u32 = 8;
/// Most empties whose results are in the near cache.
pub(super) const NEAR_EMPTIES: u32 = 7;
/// Entries of the near cache, as a power of two. The caches take 512 KiB and 2 MiB, which second-level caches hold.
/// Larger ones save nodes, but loading their slots takes longer than searching the nodes.
pub(super) const NEAR_CACHE_BITS: u32 = 15;
/// The same of the far cache.
pub(super) const FAR_CACHE_BITS: u32 = 17;
/// Fewest empties at which a node probes all children before it searches one.
pub(super) const PROBE_EMPTIES: u32 = 12;
/// Fewest empties at which a node checks clock, stop flag and node limit. All nodes above it must notice the end of the
/// search, so they must be sorted ones.
pub(super) const LOOK_EMPTIES: u32 = 9;
const _: () = assert!(LOOK_EMPTIES > PLAIN_ALL_EMPTIES && LOOK_EMPTIES > PLAIN_CUT_EMPTIES);
/// A child with fewer replies, corners counted twice, is searched before its siblings are looked at.
pub(super) const FEW_REPLIES: u32 = 2;
/// Lowest target for a stability cutoff: a lower one needs too many stable discs.
pub(super) const STABILITY_TARGET: i32 = 33;
/// Discs of the opponent that are probably unstable.
pub(super) const STABILITY_MARGIN: i32 = 8;
/// As STABILITY_TARGET, for the bound by the end of the game, which is quicker.
pub(super) const END_STABILITY_TARGET: i32 = 24;
/// As STABILITY_MARGIN, for the same.
pub(super) const END_STABILITY_MARGIN: i32 = 4;
/// Order: weight of one reply (a corner counts twice).
pub(super) const RANK_REPLIES: i32 = 28;
/// Order: weight of a disc on the border that can never be turned.
pub(super) const RANK_STABLE: i32 = 4;
/// Order: weight of a region of one square.
pub(super) const RANK_SINGLE: i32 = 8;
/// Order: weight of a square next to a corner, against it.
pub(super) const RANK_CORNER_NEIGHBOR: i32 = 2;

// The clock: see `task/timer.rs`. Parts are in thousandths.

/// Margin of every time limit, at most MARGIN_PART of it.
pub(super) const TIME_MARGIN: Duration = Duration::from_millis(3);
pub(super) const MARGIN_PART: u32 = 100;
/// A search that waits for its weights keeps this fraction (1/n) of a move's time.
pub(super) const MOVE_WAIT_DIVISOR: u32 = 4;
/// It waits for at most this fraction (1/n) of a game's clock.
pub(super) const CLOCK_WAIT_DIVISOR: u32 = 8;
/// Share of its time that a forced move may take.
pub(super) const FORCED_PART: u32 = 10;
/// Reserve of a game's clock for each future move, at most OVERHEAD_PART of it.
pub(super) const MOVE_OVERHEAD: Duration = Duration::from_millis(2);
pub(super) const OVERHEAD_PART: u32 = 500;
/// Reserve of a game's clock: this much, or RESERVE_PART of it if that is more.
pub(super) const CLOCK_RESERVE: Duration = Duration::from_millis(20);
pub(super) const RESERVE_PART: u32 = 20;
/// Most empties that are solved at once: these moves get no share of a game's clock.
pub(super) const SOLVED_EMPTIES: u32 = 14;
/// Moves that share the clock in addition to those before SOLVED_EMPTIES.
pub(super) const SHARE_MOVES: u32 = 2;
/// Empties above which a move belongs to the opening.
pub(super) const OPENING_EMPTIES: u32 = 48;
/// First factor, the stage of the game: the share of a move in the opening and of a later one, relative to an even share.
pub(super) const STAGE_FACTOR: [u32; 2] = [960, 1600];
/// Second factor, stability: least when all iterations found one move, most when the last iteration changed it.
pub(super) const STABILITY_FACTOR: RangeInclusive<u32> = 600..=1600;
/// Third factor, the next iteration: it costs about twice all the earlier ones together, so no iteration begins later.
pub(super) const BEGIN_FACTOR: u32 = 500;
/// A move ends after this many thousandths of its share,
pub(super) const HARD_FACTOR: u32 = 3000;
/// and after this part of the clock,
pub(super) const HARD_PART: u32 = 500;
/// or after the increment, up to this part of the clock.
pub(super) const HARD_INCREMENT_PART: u32 = 900;
/// Largest share of the clock.
pub(super) const SHARE_PART: u32 = 333;
/// Part of the increment that is used at once.
pub(super) const INCREMENT_PART: u32 = 800;
