//! The parts of the engine that the program and the laboratory share. They may change in any release.

/// A room with its public items, and further ones: all of some files, and some of others.
macro_rules! rooms {
    ($($room:ident: $($file:ident)* { $($(#[$of:meta])* $item:path),* };)*) => {$(
        pub mod $room {
            pub use crate::$room::*;
            $(pub mod $file {
                pub use crate::$room::$file::*;
            })*
            $(pub use $item;)*
        }
    )*};
}

rooms! {
    board: diagram flip level mobility testing {};
    book: expand file graph journal large testing { crate::book::entry::LOOK_REACH };
    engine: chances cost people { crate::engine::run::run_task };
    eval: classic network patterns testing {};
    search: bench endgame simulated slices {
        crate::search::params::Tunable,
        crate::search::params::TUNABLES,
        crate::search::side_by_side::side_by_side,
        crate::search::split_costs::split_costs,
        crate::search::tree::probcut::Forecast,
        crate::search::tuning::Tuning,
        crate::search::tuning::TuningError,
        crate::search::windows::Windows
    };
    util: {};
}
