//! The sizes of the network.

/// Numbers per block of a row.
pub const LANES: usize = 8;
/// Blocks per row: one per symmetry.
pub const BLOCKS: usize = 8;
pub const ROW_LEN: usize = BLOCKS * LANES;
/// Channels of the group convolution.
pub const CHANNELS: usize = 4;
/// Inputs of the hidden layer: the channels, mobility of both sides, odd and even regions.
pub const INPUTS: usize = CHANNELS + 4;
/// Neurons of the hidden layer.
pub const HIDDEN: usize = 32;
pub const TABLES: usize = 5;
/// Most empties at which regions count.
pub const REGION_EMPTIES: u32 = 16;

/// Most moves seen by the hidden layer.
pub const MOBILITY_CAP: u32 = 31;
/// Most regions of a kind seen by the hidden layer.
pub const REGION_CAP: u32 = 15;

/// Number of heads, one for each stage of the game.
pub const STAGES: usize = 16;

/// The stage of a position: four numbers of empties each; 60 and more share the last.
#[inline(always)]
pub const fn stage(empties: u32) -> usize {
    if empties < 60 {
        empties as usize / 4
    } else {
        STAGES - 1
    }
}

/// The table for positions with this number of empties.
pub fn table(bounds: &[u32; TABLES - 1], empties: u32) -> usize {
    bounds.iter().filter(|&&bound| empties < bound).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empties_choose_table_and_stage() {
        assert_eq!([0, 3, 4, 59, 60, 64].map(stage), [0, 0, 1, 14, 15, 15]);
        let tables = [64, 46, 45, 36, 35, 28, 27, 20, 19, 0]
            .map(|empties| table(&[46, 36, 28, 20], empties));
        assert_eq!(tables, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]);
    }
}
