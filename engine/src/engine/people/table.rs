//! Tables in integers: logarithm and exponential, the same in every build.

/// Fraction bits of [`exp_of`] and of shares of 1.
pub const SHARE_BITS: u32 = 24;
/// Fraction bits of the argument of [`exp_of`].
pub const LOGIT_BITS: u32 = 16;
/// Steps of the table between two whole numbers, in bits.
const STEP_BITS: u32 = 6;
/// The exponential of less is 0.
const LEAST: i64 = -16;
const STEPS: usize = 16 << STEP_BITS;

/// `exp(-step / 64)` in `1 / 2^30`.
const EXP: [u64; STEPS + 1] = {
    // exp(-1/64) in 1 / 2^62.
    const RATIO: u128 = 4_540_188_453_729_421_604;
    let mut table = [0; STEPS + 1];
    let mut value = 1u128 << 62;
    let mut step = 0;
    while step <= STEPS {
        table[step] = (value >> 32) as u64;
        value = (value * RATIO) >> 62;
        step += 1;
    }
    table
};

/// The exponential of `x <= 0`, in `1 / 2^16`, as a share in `1 / 2^30`; linear between the steps of 1/64.
pub fn exp_of(x: i64) -> u64 {
    debug_assert!(x <= 0);
    if x <= LEAST << LOGIT_BITS {
        return 0;
    }
    let rest_bits = LOGIT_BITS - STEP_BITS;
    let at = (-x >> rest_bits) as usize;
    let rest = (-x & ((1 << rest_bits) - 1)) as u64;
    EXP[at] - (((EXP[at] - EXP[at + 1]) * rest) >> rest_bits)
}

/// `log2(1 + number)` in 1/64, for `0..=64`.
pub const LOG: [i16; 65] = {
    let mut table = [0; 65];
    let mut number = 0;
    while number < table.len() {
        table[number] = log2(1 + number as u64, 6) as i16;
        number += 1;
    }
    table
};

/// The natural logarithm of a share in `1 / 2^24`; that of 0 is the one of the smallest share.
pub fn logarithm(share: u32) -> f64 {
    const BITS: u32 = 16;
    let whole = f64::from(1 << BITS);
    let log = log2(share.max(1).into(), BITS) as f64 / whole - f64::from(SHARE_BITS);
    log * std::f64::consts::LN_2
}

/// The binary logarithm of a number from 1 in `1 / 2^bits`, rounded down, bit by bit.
const fn log2(number: u64, bits: u32) -> i32 {
    let whole = number.ilog2();
    // In 1 / 2^32, from 1 to 2.
    let mut part = (number as u128) << (32 - whole);
    let mut log = whole as i32;
    let mut bit = 0;
    while bit < bits {
        part = (part * part) >> 32;
        log *= 2;
        if part >= 2 << 32 {
            part >>= 1;
            log += 1;
        }
        bit += 1;
    }
    log
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_the_functions() {
        for step in 0..16_000 {
            let x = -(step << LOGIT_BITS) / 1_000;
            let found = exp_of(x) as f64 / f64::from(1 << 30);
            let truth = (x as f64 / f64::from(1 << LOGIT_BITS)).exp();
            assert!((found - truth).abs() < 4e-5, "{x}: {found} {truth}");
        }
        assert_eq!(exp_of(LEAST << LOGIT_BITS), 0);
        for (number, &log) in LOG.iter().enumerate() {
            let truth = 64.0 * (1.0 + number as f64).log2();
            assert!((truth - f64::from(log)).abs() <= 1.0, "{number}: {log}");
        }
    }
}
