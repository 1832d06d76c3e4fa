//! Reports to look at: analyzed games as self-contained HTML pages, with inline SVG and no network.
//!
//! ```text
//! Source (a game and its times) → analysis ─┐
//! answers of `emilia analyze`   → answers ──┴→ GameReport → page (one game)
//!                                                         → site (index, a page per player)
//! ```
//!
//! The same games and the same depth give the same bytes with any number of threads.

mod board;
mod charts;
mod data;
mod engine;
mod game;
mod games;
mod html;
mod lists;
mod page;
mod player;
mod site;
mod summary;

#[cfg(any(feature = "web", test))]
pub use data::turn;
pub use engine::engine_of;
pub use game::{Basis, GameReport, Source};
pub use html::is_page;
pub use page::game_page;
pub use site::{is_page_of_site, pages};
