//! The float network as `parameters.rs` defines it, in plain code: what the fit and the integers are held against.

use super::head::{Head, dense_inputs};
use super::parameters::NetworkParameters;
use crate::board::{Board, Symmetry};
use crate::eval::network::inputs::Dense;
use crate::eval::network::shape::{BLOCKS, CHANNELS, HIDDEN, INPUTS, LANES, ROW_LEN, table};
use crate::eval::patterns::{self, PLACEMENT_COUNT, PLACEMENTS};
use crate::eval::stage::stage;

impl NetworkParameters {
    /// The score of `board` in discs for the side to move, not clamped: the definition.
    ///
    /// Rows are read as they stand; the eight images of a position are equal if rows are tied.
    pub fn evaluate_float(&self, board: Board) -> f32 {
        let table = &self.tables[table(&self.bounds, board.empty_count())];
        let head = &self.heads[stage(board.empty_count())];
        head.defined(&accumulate(table, board), &Dense::of(board, true))
    }

    /// Ties the rows of every orbit: each becomes the mean of what the orbit says of it.
    pub fn tie(&mut self) {
        for table in &mut self.tables {
            patterns::representatives().into_iter().for_each(|row| tie_orbit(table, row));
        }
    }
}

/// Replaces the rows of the orbit of `row` by their mean, each turned as the orbit says.
fn tie_orbit(table: &mut [f32], row: u32) {
    let mut mean = [[0.0; LANES]; BLOCKS];
    let share = 1.0 / patterns::orbit(row).len() as f32;
    for (moved, symmetry) in patterns::orbit(row) {
        for h in Symmetry::all() {
            let from = moved as usize * ROW_LEN + h.index() * LANES;
            let to = &mut mean[symmetry.compose(h).index()];
            to.iter_mut().zip(&table[from..]).for_each(|(sum, &number)| *sum += share * number);
        }
    }
    for (moved, symmetry) in patterns::orbit(row) {
        for h in Symmetry::all() {
            let to = moved as usize * ROW_LEN + h.index() * LANES;
            table[to..to + LANES].copy_from_slice(&mean[symmetry.compose(h).index()]);
        }
    }
}

/// The sum of the rows that the placements show on `board`, blocks moved by their symmetries.
fn accumulate(table: &[f32], board: Board) -> [[f32; LANES]; BLOCKS] {
    let mut rows = [0; PLACEMENT_COUNT];
    patterns::rows(board, &mut rows);
    let mut sums = [[0.0; LANES]; BLOCKS];
    for (&row, placement) in rows.iter().zip(&PLACEMENTS) {
        for h in Symmetry::all() {
            let from = row as usize * ROW_LEN + h.index() * LANES;
            let to = &mut sums[placement.symmetry.compose(h).index()];
            to.iter_mut().zip(&table[from..]).for_each(|(sum, &number)| *sum += number);
        }
    }
    sums
}

impl Head {
    /// The head's output in discs, see the head of `parameters.rs`.
    pub fn defined(&self, acc: &[[f32; LANES]; BLOCKS], dense: &Dense) -> f32 {
        let x = acc.map(|block| std::array::from_fn(|l| (block[l] + self.bias[l]).clamp(-1.0, 1.0)));
        let mut inputs = [0.0; INPUTS];
        for (channel, pooled) in inputs[..CHANNELS].iter_mut().enumerate() {
            let blocks = Symmetry::all().map(|g| self.convolve(channel, g, &x).clamp(0.0, 1.0));
            *pooled = blocks.sum::<f32>() / BLOCKS as f32;
        }
        inputs[CHANNELS..].copy_from_slice(&dense_inputs(dense));
        let mut discs = self.output_bias
            + self.skip * acc.iter().map(|block| block[0]).sum::<f32>()
            + self.mobility[0] * dense.own as f32
            + self.mobility[1] * dense.opponent as f32
            + self.parity * dense.parity as f32;
        for neuron in 0..HIDDEN {
            let sum: f32 =
                self.hidden.iter().zip(&inputs).map(|(weights, input)| weights[neuron] * input).sum();
            discs += self.output[neuron] * (self.hidden_bias[neuron] + sum).clamp(0.0, 1.0);
        }
        discs
    }

    /// `z[g][channel]`.
    fn convolve(&self, channel: usize, g: Symmetry, x: &[[f32; LANES]; BLOCKS]) -> f32 {
        let mut z = self.channel_bias[channel];
        for h in Symmetry::all() {
            let weights = &self.channel[channel][h.index()];
            for (l, &x) in x[g.compose(h).index()].iter().enumerate() {
                z += weights[l] * x + weights[LANES + l] * x * x;
            }
        }
        z
    }
}
