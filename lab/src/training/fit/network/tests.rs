//! Tests of `network.rs`.

use std::sync::LazyLock;

use super::*;
use crate::board::Score;
use crate::board::bitboard::CORNERS;
use crate::eval::network::shape::LANES;
use crate::training::labels::dataset::tests::random_records;

/// Labels that rows can explain: corners count.
fn corner_records(count: usize) -> Vec<Record> {
    let mut records = random_records(count);
    for record in &mut records {
        let own = (record.board.player & CORNERS).count_ones() as i32;
        let other = (record.board.opponent & CORNERS).count_ones() as i32;
        record.score = Score::from_discs(8 * (own - other));
    }
    records
}

/// A fit with its errors by epoch; the first epoch is shared by all tables.
struct Fitted {
    errors: Vec<f64>,
    model: Model,
}

/// Four epochs, for several tests.
static WHOLE: LazyLock<(Fitted, NetworkParameters)> = LazyLock::new(|| {
    let fitted = fitted(4);
    let parameters = fitted.model.parameters();
    (fitted, parameters)
});

fn fitted(epochs: u32) -> Fitted {
    let schedule = Schedule {
        epochs,
        batch: 64,
        threads: 2,
        least_met: 0,
        ..Schedule::default()
    };
    let mut model = Model::new(&schedule);
    let mut errors = Vec::new();
    model.fit(
        &mut corner_records(1500),
        &schedule,
        &mut |_, training, _| {
            errors.push(training);
            true
        },
    );
    Fitted { errors, model }
}

#[test]
fn a_fit_learns_what_rows_can_explain() {
    let (Fitted { errors, model }, parameters) = &*WHOLE;
    assert!(errors[3] < 0.5 * errors[0] && errors[3] < 3.0, "{errors:?}");
    for record in corner_records(200) {
        let own = model.evaluate(record.board);
        let defined = parameters.evaluate_float(record.board);
        assert!(
            (own - defined).abs() < 0.01,
            "{own} {defined}\n{}",
            record.board
        );
    }
}

#[test]
fn a_warm_start_begins_where_the_first_fit_ended() {
    let (
        Fitted {
            errors,
            model: first,
        },
        parameters,
    ) = &*WHOLE;
    let schedule = Schedule {
        epochs: 1,
        batch: 64,
        threads: 1,
        row_rate: 0.02,
        ..Schedule::continued()
    };
    let mut model = Model::of(parameters, &schedule);
    for record in corner_records(100) {
        let old = first.evaluate(record.board);
        let new = model.evaluate(record.board);
        assert!((old - new).abs() < 1e-3, "{old} {new}");
    }
    let mut again = 0.0;
    model.fit(
        &mut corner_records(500),
        &schedule,
        &mut |_, training, _| {
            again = training;
            true
        },
    );
    assert!(again < 0.5 * errors[0], "{again} after {errors:?}");
}

#[test]
fn the_same_seed_and_threads_give_the_same_weights() {
    let [
        Fitted {
            errors,
            model: first,
        },
        second,
    ] = [(); 2].map(|()| fitted(1));
    assert_eq!(second.errors, errors);
    assert!(first.heads == second.model.heads && first.is_shared() && first.tables.len() == 1);
    let mut used = 0;
    for row in 0..ROWS as u32 {
        let numbers = first.tables[0].row(&first.layout, row);
        assert_eq!(
            numbers,
            second.model.tables[0].row(&first.layout, row),
            "row {row}"
        );
        used += numbers.iter().filter(|number| **number != 0.0).count();
    }
    assert!(used > 1000 * LANES);
}

#[test]
fn tables_part_after_the_shared_passes() {
    let parted = &WHOLE.1.tables;
    assert!(parted.len() == TABLES && parted[1..].iter().all(|table| *table != parted[0]));
}

/// The last stage's table: rows that it met twice in the pass or less are those of the table before.
#[test]
fn rows_that_a_stage_met_rarely_are_those_of_the_stage_before() {
    let Fitted { mut model, .. } = fitted(2);
    let last = TABLES - 1;
    let met = |model: &Model, row: u32| model.tables[last].met(model.layout.orbits.least(row).0);
    let differ = |model: &Model| -> Vec<u32> {
        let tables = model.parameters().tables;
        let rows = tables[last]
            .chunks(WIDTH)
            .zip(tables[last - 1].chunks(WIDTH));
        (0..)
            .zip(rows)
            .filter(|(_, (row, before))| row != before)
            .map(|(row, _)| row)
            .collect()
    };
    let all = differ(&model);
    model.least_met = 3;
    let often = differ(&model);
    assert!(
        often.len() > 100 && often.len() < all.len(),
        "{} of {}",
        often.len(),
        all.len()
    );
    assert!(often.iter().all(|&row| met(&model, row) >= 3));
    let unmet = |row: u32| {
        model
            .tables
            .iter()
            .all(|t| t.met(model.layout.orbits.least(row).0) == 0)
    };
    let first = &model.parameters().tables[0];
    let unmet: Vec<usize> = (0..ROWS as u32)
        .filter(|&row| unmet(row))
        .map(|row| row as usize)
        .collect();
    assert!(unmet.len() > 1000);
    assert!(unmet.iter().all(|row| {
        first[row * WIDTH..][..WIDTH]
            .iter()
            .all(|number| *number == 0.0)
    }));
}
