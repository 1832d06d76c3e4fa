//! What goes into a search and what comes out: plain data, no text.

mod counters;
mod handicap;
mod info;
mod limits;
mod stop;
mod timer;

pub use counters::Counters;
pub use handicap::Handicap;
pub use info::{Info, Line, Observer, Proof, SearchResult, Silent, Task};
pub use limits::{Clock, Goal, Limits, Selectivity};
pub use stop::Stop;
pub(super) use timer::{Need, Timer};
