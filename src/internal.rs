//! The parts of the program that its laboratory and its protocol tests share. They may change in any release.

/// Transcripts of conversations with the program.
pub mod transcripts {
    pub use crate::conform::{EngineSession, Failure, Pattern, Script, Step};
}

pub mod analysis {
    pub use crate::analysis::words::{depth_of, score_of};
}

pub mod cli {
    pub use crate::cli::logging::start as start_log;
    pub use crate::cli::progress::Progress;

    pub mod bench {
        pub use crate::cli::bench::{Budget, PositionArgs, evaluation_ns};
    }
    pub mod files {
        pub use crate::cli::files::{ForceArgs, check, with_rules};
    }
    pub mod input {
        pub use crate::cli::input::{InputArgs, lines, read_openings};
    }
    pub mod output {
        pub use crate::cli::output::{Output, message, print, reader_is_gone};
    }
    pub mod search_args {
        pub use crate::cli::search_args::{EvalArgs, SearchArgs, parse_range, parse_selectivity};
    }
    pub mod signals {
        pub use crate::cli::signals::{GRACE, catch, exit_code, listen};
    }
}

pub mod sentences {
    pub use crate::sentences::facts::facts;
    pub use crate::sentences::stages::{KNOTS, knots};
    pub use crate::sentences::{WORTH, row};
}

pub mod tournament {
    pub use crate::tournament::matches::openings::Openings;
    pub use crate::tournament::matches::referee::{Ending, Rules};
    pub use crate::tournament::matches::runner::{MatchPlan, Schedule};
    pub use crate::tournament::players::Budget;
    pub use crate::tournament::players::spec::Spec;
}

pub mod util {
    pub use crate::util::options::difference;
    pub use crate::util::os::children::end_all;
    pub use crate::util::program;
    pub use crate::util::refusal;
    pub use crate::util::shard::Shard;
}
