//! Every number of the search, one line each: value, range, step.
//!
//! They are constants. In a build with the feature `tune` each searcher may have values of its own for the
//! tunable ones: `tuning.rs` lays them down in every thread that searches, where [`Number::get`] finds them.

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

/// Declares numbers that are the same in every build.
macro_rules! constants {
    ($($(#[$doc:meta])* $name:ident: $value:literal, $low:literal ..= $high:literal, $step:literal;)*) => {
        $($(#[$doc])* pub(super) const $name: i32 = $value;)*

        $(const _: () = assert!(is_sound($value, $low, $high, $step));)*
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
    /// Nodes of a solve's first pass, in those of the search before it: about 20 at 19 to 24 empties, more at others.
    SOLVE_COST_NODES: 20, 0..=200, 1;
    /// The same for time, of which a solve's nodes take a third as much.
    SOLVE_COST_TIME: 9, 0..=200, 1;
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
    /// Deviations of midgame searches fall by so many thousandths with each move that the two sides together have more
    /// than usual with as many empties.
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

// Those of the endgame solver are read at each of its nodes: the compiler has to know them.
constants! {
    /// Up to here a node that is expected to cut tries its moves in a fixed order; from here on sorting them pays.
    PLAIN_CUT_EMPTIES: 6, 5..=12, 1;
    /// The same for a node all of whose moves are expected to fail: then their order does not matter.
    PLAIN_ALL_EMPTIES: 8, 5..=12, 1;
    /// Up to here results are kept in the near cache.
    NEAR_EMPTIES: 7, 5..=12, 1;
    /// From here on the children of a node are looked up before any is searched.
    PROBE_EMPTIES: 12, 7..=20, 1;
    /// From here on the stop flag is read.
    STOP_EMPTIES: 12, 9..=16, 1;
    /// A child with fewer replies, corners counted twice, is searched before its siblings are looked at.
    FEW_REPLIES: 2, 0..=4, 1;
    /// Below this target too many discs would have to be stable for a cut.
    STABILITY_TARGET: 33, 0..=64, 1;
    /// Discs of the opponent that are expected not to be stable in any case.
    STABILITY_MARGIN: 8, 0..=32, 1;
    /// As STABILITY_TARGET, for the bound by the end of the game, which is quicker.
    END_STABILITY_TARGET: 24, 0..=64, 1;
    /// As STABILITY_MARGIN, for the same.
    END_STABILITY_MARGIN: 4, 0..=32, 1;
    /// Order: weight of one reply (a corner counts twice).
    RANK_REPLIES: 28, 0..=256, 1;
    /// Order: weight of a disc on the border that can never be turned.
    RANK_STABLE: 4, 0..=64, 1;
    /// Order: weight of a square alone in its region.
    RANK_SINGLE: 8, 0..=64, 1;
    /// Order: weight of a square next to a corner, against it.
    RANK_CORNER_NEIGHBOUR: 2, 0..=64, 1;
}

// Games with so many nodes for a move, one thread and no clock do not feel these.
constants! {
    /// Nodes between two looks at the clock and the stop flag.
    POLL_NODES: 2048, 256..=65536, 256;
    /// Shallowest midgame node whose moves are shared with idle threads, plies.
    SPLIT_DEPTH: 5, 3..=10, 1;
    /// Fewest empties of a solving node whose moves are shared.
    SPLIT_EMPTIES: 14, 12..=20, 1;
    /// Milliseconds kept back from every time limit.
    TIME_MARGIN_MS: 3, 0..=100, 1;
    /// Microseconds of a game's clock kept back for each move to come.
    MOVE_OVERHEAD_US: 2000, 0..=50000, 500;
    /// Part of its time that a move without a choice may take, in thousandths.
    FORCED_PERMILLE: 10, 1..=1000, 1;
    /// Part of its share of a game's clock that a move takes whose last iteration changed the best move, in thousandths.
    DOUBT_PERMILLE: 1600, 1000..=4000, 50;
    /// The same where all iterations named one move.
    TRUST_PERMILLE: 600, 100..=1000, 50;
    /// Milliseconds of a game's clock that are never used.
    CLOCK_RESERVE_MS: 20, 0..=1000, 5;
    /// The same as a part of the clock, in thousandths.
    CLOCK_RESERVE_PERMILLE: 20, 0..=200, 5;
    /// The last empties, which are solved in no time: their moves get no share of a game's clock.
    SHARE_SOLVED_EMPTIES: 14, 0..=30, 1;
    /// Moves that the clock is shared among besides those before.
    SHARE_MOVES: 2, 1..=10, 1;
    /// Empties above which a move belongs to the opening.
    SHARE_OPENING_EMPTIES: 48, 40..=60, 1;
    /// Part of an even share that a move of the opening gets, in thousandths.
    SHARE_OPENING_PERMILLE: 960, 100..=2000, 10;
    /// The same for later moves.
    SHARE_PERMILLE: 1600, 500..=4000, 50;
    /// Most of the clock that a share can be, in thousandths.
    SHARE_MOST_PERMILLE: 333, 100..=1000, 1;
    /// Part of the increment that is used at once, in thousandths.
    SHARE_INCREMENT_PERMILLE: 800, 0..=1000, 50;
    /// A move ends after so many times its share, in thousandths.
    HARD_PERMILLE: 3000, 1000..=10000, 100;
    /// And when it has taken this part of the clock, in thousandths.
    HARD_MOST_PERMILLE: 500, 100..=1000, 50;
    /// The same of what the increment gives back at once.
    HARD_INCREMENT_PERMILLE: 900, 100..=1000, 50;
    /// Part of its share after which no iteration begins: the next costs about twice all the earlier ones together.
    BEGIN_PERMILLE: 500, 100..=1000, 50;
}

const _: () = assert!(ASPIRATION_END.value % 256 == 0, "solving windows lie on the grid of even discs");
