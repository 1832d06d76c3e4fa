//! Matches between engines: players, referee, openings, statistics.
