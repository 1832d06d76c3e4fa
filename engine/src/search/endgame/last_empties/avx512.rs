//! The last empties with AVX-512: flips of two squares at once, three empties without a branch.
//!
//! Ordinary code for three empties loses more time to mispredicted branches than to work. Here all
//! three moves, all six replies and all six last counts are computed, then combined with masks; only
//! passes leave the straight line.

mod last_moves;

use std::arch::x86_64::*;

use last_moves::LAST_MOVES;

use super::last_move::last_exceeds;
use super::scalar::{self, Nodes};
use super::tables::BITS;
use crate::board::flip::avx512::{flip_pair, gather, pair_flips, pair_rays};
use crate::board::mobility;

/// Two empty squares.
#[inline(always)]
pub(super) fn solve_2(
    player: u64,
    opponent: u64,
    target: i32,
    squares: [u8; 2],
    nodes: &mut Nodes,
) -> bool {
    *nodes += 1;
    let [a, b] = squares;
    let (flips_a, flips_b) = flip_pair(a, b, player, opponent);
    if flips_a | flips_b == 0 {
        // SAFETY: this file runs only at a level with AVX-512.
        return unsafe { passed_2(player, opponent, target, squares, nodes) };
    }
    let wins_a = flips_a != 0 && !last_exceeds(opponent ^ flips_a, b, 63 - target);
    let wins_b = flips_b != 0 && !last_exceeds(opponent ^ flips_b, a, 63 - target);
    wins_a || wins_b
}

/// Two empty squares, and the mover has no move.
#[target_feature(
    enable = "avx512bitalg,avx512cd,avx512dq,avx512vl,avx512vpopcntdq,gfni,bmi1,bmi2,lzcnt,popcnt"
)]
fn passed_2(player: u64, opponent: u64, target: i32, squares: [u8; 2], nodes: &mut Nodes) -> bool {
    let [a, b] = squares;
    let (flips_a, flips_b) = flip_pair(a, b, opponent, player);
    if flips_a | flips_b == 0 {
        return scalar::finished(player, opponent, target);
    }
    *nodes += 1;
    let loses_a = flips_a != 0 && !last_exceeds(player ^ flips_a, b, target);
    let loses_b = flips_b != 0 && !last_exceeds(player ^ flips_b, a, target);
    !(loses_a || loses_b)
}

/// Three empty squares, the most promising first, packed into bytes from the lowest up.
#[inline(always)]
fn packed_3(player: u64, opponent: u64, target: i32, squares: u32, nodes: &mut Nodes) -> bool {
    let lines = variations_3(player, opponent, squares);
    if lines.moves == 0 {
        // SAFETY: as in `solve_2`.
        return unsafe { passed_3(player, opponent, target, squares, nodes) };
    }
    let spoiled = lines.spoiled(target) & lines.replies;
    let spoiled = (spoiled | spoiled >> 4) & 7;
    let answered = (lines.replies | lines.replies >> 4) & 7;
    let mut wins = lines.moves & answered & !spoiled;
    let unanswered = lines.moves & !answered;
    // Up to the first win, moves that leave the other side without a reply still have to be looked at.
    if unanswered & (wins ^ wins.wrapping_sub(1)) != 0 {
        // SAFETY: as in `solve_2`.
        wins = unsafe { unanswered_3(opponent, target, &lines, wins, nodes) };
    }
    *nodes += 1 + u64::from((lines.moves & (wins ^ wins.wrapping_sub(1))).count_ones());
    wins != 0
}

/// All lines of play from three empties, but for passes.
struct Variations3 {
    /// The empties, packed into bytes from the lowest up.
    squares: u32,
    /// Bit i: the i-th square is a legal move.
    moves: u32,
    /// Bit i: the first of the other two squares is a reply to the i-th move; bit 4 + i: the second is.
    replies: u32,
    /// The mover's discs after each move.
    after: __m512i,
    /// The mover's discs after the move and reply of each bit of `replies`.
    boards: __m512i,
}

#[repr(C, align(64))]
struct Aligned([u64; 8]);

impl Aligned {
    #[inline(always)]
    fn of(lanes: __m512i) -> Self {
        // SAFETY: both are 64 plain bytes.
        unsafe { std::mem::transmute(lanes) }
    }
}

impl Variations3 {
    /// Bit i: after the move and reply i the mover's last move leaves it with no more than `target`.
    #[inline(always)]
    fn spoiled(&self, target: i32) -> u32 {
        let last = |square: u32| &LAST_MOVES[(square & 63) as usize];
        let a = last(self.squares);
        let b = last(self.squares >> 8);
        let c = last(self.squares >> 16);
        // SAFETY: this file runs only at a level with AVX-512 F, BW, BITALG and VPOPCNTDQ and GFNI.
        unsafe {
            // Lanes 0 and 1 leave c, 2 and 4 leave b, 5 and 6 leave a.
            let field = |a: u64, b: u64, c: u64| {
                let lanes = _mm512_mask_set1_epi64(_mm512_set1_epi64(c as i64), 0x14, b as i64);
                _mm512_mask_set1_epi64(lanes, 0x60, a as i64)
            };
            let boards = self.boards;
            // A shuffle counts bytes from the start of 16, so odd lanes read 8 further.
            let odd = _mm512_set_epi64(EIGHTS, 0, EIGHTS, 0, EIGHTS, 0, EIGHTS, 0);
            let rows =
                _mm512_shuffle_epi8(boards, _mm512_or_si512(field(a.row, b.row, c.row), odd));
            let columns =
                _mm512_gf2p8affine_epi64_epi8::<0>(field(a.column, b.column, c.column), boards);
            let diagonal = |at: usize| {
                let mask = field(a.diagonals[at], b.diagonals[at], c.diagonals[at]);
                let place = _mm512_set1_epi64(0x0000_00FF_0000_00FF << (16 + 8 * at));
                _mm512_gf2p8affine_epi64_epi8::<0>(place, _mm512_and_si512(boards, mask))
            };
            let lines = _mm512_ternarylogic_epi64::<0xFE>(rows, columns, diagonal(0));
            let lines = _mm512_or_si512(lines, diagonal(1));
            let mirror = _mm512_set1_epi64(MIRROR);
            let lines = _mm512_mask_gf2p8affine_epi64_epi8::<0>(
                lines,
                0xF0F0_F0F0_F0F0_F0F0,
                lines,
                mirror,
            );
            let beyond = field(a.beyond, b.beyond, c.beyond);
            let mine = before_nearest(_mm512_and_si512(lines, beyond), beyond);
            let theirs = before_nearest(_mm512_andnot_si512(lines, beyond), beyond);
            let turned = _mm512_sub_epi64(_mm512_slli_epi64::<8>(mine), theirs);
            u32::from(_mm512_cmple_epi64_mask(turned, self.bars(target)))
        }
    }

    /// [`last_bar`](super::last_move::last_bar) of each of `boards`.
    #[inline(always)]
    fn bars(&self, target: i32) -> __m512i {
        // SAFETY: this file runs only at a level with AVX-512F and VPOPCNTDQ.
        unsafe {
            let discs = _mm512_popcnt_epi64(self.boards);
            let wanting = _mm512_sub_epi64(_mm512_set1_epi64(i64::from(target)), discs);
            let zero = _mm512_setzero_si512();
            let even = _mm512_cmpeq_epi64_mask(wanting, zero);
            let ahead = _mm512_mask_cmpgt_epi64_mask(even, discs, _mm512_set1_epi64(31));
            let behind = _mm512_cmpgt_epi64_mask(wanting, zero);
            let less = _mm512_sub_epi64(wanting, _mm512_set1_epi64(1));
            let bars = _mm512_mask_mov_epi64(wanting, ahead, less);
            _mm512_mask_slli_epi64::<8>(bars, behind, less)
        }
    }
}

/// Eight in every byte.
const EIGHTS: i64 = 0x0808_0808_0808_0808;
/// The bit matrix that mirrors a byte.
const MIRROR: i64 = 0x8040_2010_0804_0201_u64 as i64;

/// Per lane, the places of `beyond` before the lowest of `hits` in the same byte; empty without hits.
#[inline(always)]
fn before_nearest(hits: __m512i, beyond: __m512i) -> __m512i {
    // SAFETY: this file runs only at a level with AVX-512F, BW and BITALG.
    unsafe {
        let lower = _mm512_add_epi8(hits, _mm512_set1_epi8(-1));
        // beyond & !hits & lower
        let before = _mm512_ternarylogic_epi64::<0x20>(beyond, hits, lower);
        let counts = _mm512_maskz_popcnt_epi8(_mm512_test_epi8_mask(hits, hits), before);
        _mm512_sad_epu8(counts, _mm512_setzero_si512())
    }
}

#[inline(always)]
fn variations_3(player: u64, opponent: u64, squares: u32) -> Variations3 {
    let a = squares as u8;
    let b = (squares >> 8) as u8;
    let c = (squares >> 16) as u8;
    // SAFETY: this file runs only at a level with AVX-512F, CD and DQ.
    unsafe {
        let mine = _mm512_set1_epi64(player as i64);
        let theirs = _mm512_set1_epi64(opponent as i64);
        let rays_ac = pair_rays(a, c);
        let rays_bb = pair_rays(b, b);
        let first = gather(
            pair_flips(rays_ac, mine, theirs),
            pair_flips(rays_bb, mine, theirs),
        );
        let spread = |lane: i64| _mm512_permutexvar_epi64(_mm512_set1_epi64(lane), first);
        let flips_a = spread(0);
        let flips_b = spread(1);
        let flips_c = spread(4);
        // player ^ flips | move
        let place = |flips, square: u8| {
            _mm512_ternarylogic_epi64::<0xBE>(
                _mm512_set1_epi64(BITS[square as usize & 63] as i64),
                mine,
                flips,
            )
        };
        let after_a = place(flips_a, a);
        let after_b = place(flips_b, b);
        let after_c = place(flips_c, c);
        let reply = |flips, after, rays| pair_flips(rays, _mm512_xor_si512(theirs, flips), after);
        let reply_a = reply(flips_a, after_a, pair_rays(b, c));
        let reply_b = reply(flips_b, after_b, rays_ac);
        let reply_c = reply(flips_c, after_c, pair_rays(a, b));
        // Lanes 0, 1, 2: the first reply to each move; 4, 5, 6: the second.
        let pairs = _mm512_or_si512(
            _mm512_unpacklo_epi64(reply_a, reply_b),
            _mm512_unpackhi_epi64(reply_a, reply_b),
        );
        let third = _mm512_or_si512(reply_c, _mm512_shuffle_epi32::<0x4E>(reply_c));
        let low =
            _mm512_permutex2var_epi64(pairs, _mm512_setr_epi64(0, 1, 8, 8, 4, 5, 12, 12), third);
        let high =
            _mm512_permutex2var_epi64(pairs, _mm512_setr_epi64(2, 3, 10, 10, 6, 7, 14, 14), third);
        let second = _mm512_or_si512(low, high);
        let after =
            _mm512_mask_mov_epi64(_mm512_mask_mov_epi64(after_a, 0x22, after_b), 0x44, after_c);
        let moves = u32::from(_mm512_test_epi64_mask(first, first));
        Variations3 {
            squares,
            moves: moves & 3 | moves >> 2 & 4,
            replies: u32::from(_mm512_test_epi64_mask(second, second)) & 0x77,
            after,
            boards: _mm512_xor_si512(after, second),
        }
    }
}

/// Three empty squares, the most promising first.
#[target_feature(
    enable = "avx512bitalg,avx512cd,avx512dq,avx512vl,avx512vpopcntdq,gfni,bmi1,bmi2,lzcnt,popcnt"
)]
pub(super) fn solve_3(
    player: u64,
    opponent: u64,
    target: i32,
    [a, b, c]: [u8; 3],
    nodes: &mut Nodes,
) -> bool {
    packed_3(
        player,
        opponent,
        target,
        u32::from_le_bytes([a, b, c, 0]),
        nodes,
    )
}

/// The wins among three moves when some before the first known one leave the other side without a reply.
#[cold]
#[target_feature(
    enable = "avx512bitalg,avx512cd,avx512dq,avx512vl,avx512vpopcntdq,gfni,bmi1,bmi2,lzcnt,popcnt"
)]
fn unanswered_3(
    opponent: u64,
    target: i32,
    lines: &Variations3,
    known: u32,
    nodes: &mut Nodes,
) -> u32 {
    let [a, b, c, _] = lines.squares.to_le_bytes();
    let answered = (lines.replies | lines.replies >> 4) & 7;
    let after = Aligned::of(lines.after).0;
    for (at, rest) in [[b, c], [a, c], [a, b]].into_iter().enumerate() {
        let bit = 1 << at;
        if known & bit != 0 {
            return bit;
        }
        // The mover is asked, so the question is turned twice.
        if lines.moves & !answered & bit != 0
            && !passed_2(opponent & !after[at], after[at], 63 - target, rest, nodes)
        {
            return bit;
        }
    }
    0
}

/// Three empty squares, and the mover has no move.
#[cold]
#[target_feature(
    enable = "avx512bitalg,avx512cd,avx512dq,avx512vl,avx512vpopcntdq,gfni,bmi1,bmi2,lzcnt,popcnt"
)]
fn passed_3(player: u64, opponent: u64, target: i32, squares: u32, nodes: &mut Nodes) -> bool {
    *nodes += 1;
    if mobility::avx512::moves(opponent, player) == 0 {
        return scalar::finished(player, opponent, target);
    }
    !packed_3(opponent, player, 63 - target, squares, nodes)
}

/// Four empty squares, the most promising first.
#[target_feature(
    enable = "avx512bitalg,avx512cd,avx512dq,avx512vl,avx512vpopcntdq,gfni,bmi1,bmi2,lzcnt,popcnt"
)]
pub(super) fn solve_4(
    player: u64,
    opponent: u64,
    target: i32,
    squares: [u8; 4],
    nodes: &mut Nodes,
) -> bool {
    *nodes += 1;
    let [a, b, c, d] = squares;
    let (legal, flips) = {
        let mine = _mm512_set1_epi64(player as i64);
        let theirs = _mm512_set1_epi64(opponent as i64);
        let lanes = gather(
            pair_flips(pair_rays(a, b), mine, theirs),
            pair_flips(pair_rays(c, d), mine, theirs),
        );
        (_mm512_test_epi64_mask(lanes, lanes), Aligned::of(lanes).0)
    };
    if legal == 0 {
        if mobility::avx512::moves(opponent, player) == 0 {
            return scalar::finished(player, opponent, target);
        }
        return !solve_4(opponent, player, 63 - target, squares, nodes);
    }
    let list = u32::from_le_bytes(squares);
    let mut wins = |lane: usize, square: u8, rest: u32| {
        let turned = flips[lane];
        turned != 0
            && !call_3(
                opponent ^ turned,
                player ^ turned | 1 << square,
                63 - target,
                rest,
                nodes,
            )
    };
    wins(0, a, list >> 8)
        || wins(4, b, list & 0xFF | list >> 8 & 0xFF_FF00)
        || wins(1, c, list & 0xFFFF | list >> 8 & 0xFF_0000)
        || wins(5, d, list & 0xFF_FFFF)
}

/// [`packed_3`] out of line: one copy in the processor's caches serves all callers.
#[inline(never)]
#[target_feature(
    enable = "avx512bitalg,avx512cd,avx512dq,avx512vl,avx512vpopcntdq,gfni,bmi1,bmi2,lzcnt,popcnt"
)]
fn call_3(player: u64, opponent: u64, target: i32, squares: u32, nodes: &mut Nodes) -> bool {
    packed_3(player, opponent, target, squares, nodes)
}
