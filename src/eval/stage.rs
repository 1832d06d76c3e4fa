//! The stages of a game, by which evaluations change their weights.

/// Number of stages.
pub const STAGES: usize = 16;

/// The stage of a position: four numbers of empties each; 60 and more share the last.
#[inline(always)]
pub const fn stage(empties: u32) -> usize {
    if empties < 60 { empties as usize / 4 } else { STAGES - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_cover_all_numbers_of_empties() {
        assert_eq!((stage(0), stage(3), stage(4), stage(59), stage(60), stage(64)), (0, 0, 1, 14, 15, 15));
    }
}
