//! Intervals, superiority and sequential tests against simulations and closed forms.

use super::*;
use crate::util::rng::Rng;

/// Two engines with random results: `elo` apart, at most a share of `draws`, and openings that favor a color by up to `bias`
/// Elo.
struct Synthetic {
    elo: f64,
    draws: f64,
    bias: f64,
    rng: Rng,
}

impl Synthetic {
    fn new(elo: f64, draws: f64, bias: f64, seed: u64) -> Self {
        Self {
            elo,
            draws,
            bias,
            rng: Rng::new(seed),
        }
    }

    /// The sign of a game's result.
    fn outcome(&mut self, score: f64) -> i32 {
        // As many draws as the score leaves room for.
        let draw = self.draws * 2.0 * score.min(1.0 - score);
        match self.rng.unit() {
            u if u < score - draw / 2.0 => 1,
            u if u < score + draw / 2.0 => 0,
            _ => -1,
        }
    }

    /// Plays one opening with both colors.
    fn pair(&mut self, tally: &mut Tally) {
        // The bias moves both games by the same score in opposite directions: the pair keeps the score of `elo`.
        let score = score_of_elo(self.elo);
        let room = score.min(1.0 - score);
        let shift = (score_of_elo(self.bias) - 0.5).min(room) * (2.0 * self.rng.unit() - 1.0);
        let outcomes = [score + shift, score - shift].map(|s| self.outcome(s));
        outcomes.iter().for_each(|&outcome| tally.add_game(outcome));
        tally.add_pair(outcomes);
    }

    fn play(&mut self, pairs: usize) -> Tally {
        let mut tally = Tally::default();
        (0..pairs).for_each(|_| self.pair(&mut tally));
        tally
    }
}

#[test]
fn known_strengths_lie_in_their_interval() {
    // Measured over 10,000 matches for 18 such settings: 96.4 to 97.8 %.
    let settings = [
        (0.0, 50, 0.1, 0.0),
        (10.0, 200, 0.3, 100.0),
        (-35.0, 500, 0.0, 300.0),
        (80.0, 100, 0.3, 100.0),
        (-150.0, 200, 0.0, 0.0),
        (300.0, 50, 0.1, 300.0),
        // The fewest games that make an Elo.
        (0.0, 5, 0.0, 100.0),
        (35.0, 5, 0.3, 100.0),
        (-80.0, 5, 0.0, 100.0),
        (150.0, 5, 0.3, 100.0),
        (300.0, 5, 0.0, 100.0),
    ];
    for (seed, (elo, pairs, draws, bias)) in settings.into_iter().enumerate() {
        let mut engines = Synthetic::new(elo, draws, bias, seed as u64);
        let is_covered = |claim: &Elo| {
            claim.low.is_none_or(|low| low <= elo) && claim.high.is_none_or(|high| elo <= high)
        };
        let covered = (0..1_000)
            .map(|_| engines.play(pairs).elo())
            .filter(is_covered)
            .count();
        assert!(
            covered >= 950,
            "{elo} Elo, {pairs} pairs: {covered} of 1,000"
        );
    }
}

#[test]
fn intervals_are_not_idly_wide() {
    // 2,000 games without draws: the binomial's 95 % half-width is 15.2 Elo.
    let elo = Synthetic::new(0.0, 0.0, 0.0, 7).play(1_000).elo();
    let half = (elo.high.unwrap() - elo.low.unwrap()) / 2.0;
    assert!((14.0..18.0).contains(&half), "{half}");
    // Every opening decides its game: the pairs are all even, so there is no doubt left.
    let pairs = Tally {
        wins: 100,
        losses: 100,
        pairs: [0, 0, 100, 0, 0],
        ..Tally::default()
    };
    let width = |tally: Tally| tally.elo().high.unwrap() - tally.elo().low.unwrap();
    assert!(
        width(pairs)
            < width(Tally {
                pairs: [0; 5],
                ..pairs
            }) / 3.0
    );
}

#[test]
fn sprt_errs_no_more_often_than_stated() {
    let sprt = Sprt::new(0.0, 30.0, 0.05, 0.1).unwrap();
    for (elo, wrong, allowed) in [
        (0.0, SprtOutcome::Accepted, 0.05),
        (30.0, SprtOutcome::Rejected, 0.1),
    ] {
        let mut engines = Synthetic::new(elo, 0.2, 100.0, 99);
        let runs = 200;
        let mut errors = 0;
        for _ in 0..runs {
            let mut tally = Tally::default();
            let verdict = loop {
                engines.pair(&mut tally);
                match sprt.verdict(&tally) {
                    SprtOutcome::Open => assert!(tally.games() < 40_000, "no verdict"),
                    verdict => break verdict,
                }
            };
            errors += usize::from(verdict == wrong);
        }
        // Two standard deviations of the count above the stated rate.
        let mean = allowed * f64::from(runs);
        let limit = mean + 2.0 * (mean * (1.0 - allowed)).sqrt();
        assert!(
            (errors as f64) < limit,
            "{elo} Elo: {errors} wrong of {runs}"
        );
        assert!(
            errors > 0,
            "an error rate of 0 in {runs} runs cannot be right"
        );
    }
}

#[test]
fn all_won_and_all_lost_give_numbers() {
    let sprt = Sprt::new(0.0, 5.0, 0.05, 0.05).unwrap();
    for games in [0, 1, 2, 10, 1_000, 1_000_000] {
        for paired in [false, true] {
            let pairs = if paired { games / 2 } else { 0 };
            let won = Tally {
                wins: games,
                pairs: [0, 0, 0, 0, pairs],
                ..Tally::default()
            };
            let lost = won.turned();
            assert!(sprt.llr(&won) >= 0.0 && sprt.llr(&won).is_finite());
            assert!(sprt.llr(&lost) <= 0.0 && sprt.llr(&lost).is_finite());
            assert!(won.superiority() >= 0.5 && lost.superiority() <= 0.5);
        }
    }
    let won = Tally {
        wins: 600,
        pairs: [0, 0, 0, 0, 300],
        ..Tally::default()
    };
    assert!(won.elo().low.unwrap() > 300.0 && won.superiority() > 0.999_999);
    assert_eq!(sprt.verdict(&won), SprtOutcome::Accepted);
}

fn won(wins: u64, losses: u64) -> Tally {
    Tally {
        wins,
        losses,
        ..Tally::default()
    }
}

#[test]
fn one_sided_and_few_games_have_bounds_or_notes() {
    let five_pairs = Tally {
        pairs: [0, 0, 0, 0, 5],
        ..won(10, 0)
    };
    for (tally, text) in [
        (won(0, 0), "too few games (0 of 10)"),
        (won(4, 0), "too few games (4 of 10)"),
        (won(5, 4), "too few games (9 of 10)"),
        (won(10, 0), "over +182.7"),
        (five_pairs, "over +34.4"),
        (five_pairs.turned(), "under -34.4"),
    ] {
        assert_eq!(tally.elo().to_string(), text);
    }
    assert_eq!(
        won(0, 600).elo().note.as_deref(),
        Some("all games were lost")
    );
    for wins in 0..=40 {
        for losses in 0..=40 {
            let tally = won(wins, losses);
            let text = won(wins, losses).elo().to_string();
            assert!(
                !text.contains("inf") && !text.contains("NaN"),
                "{tally}: {text}"
            );
            // The interval is a little wider than the normal law's.
            let is_better = tally.elo().low.is_some_and(|low| low > 0.0);
            assert!(!is_better || tally.superiority() > 0.975, "{tally}: {text}");
        }
    }
}

#[test]
fn superiority_is_the_normal_law() {
    for (x, below) in [
        (-3.0, 0.001_349_9),
        (0.0, 0.5),
        (1.0, 0.841_344_7),
        (1.96, 0.975_002_1),
    ] {
        assert!((normal_below(x) - below).abs() < 1e-6, "{x}");
    }
    assert!((won(5, 5).superiority() - 0.5).abs() < 1e-6);
}

#[test]
fn llr_of_single_games_matches_the_closed_form() {
    // No draws: the nearest distribution is unique and the ratio is binomial.
    let sprt = Sprt::new(0.0, 70.0, 0.05, 0.05).unwrap();
    let p0 = score_of_elo(0.0);
    let p1 = score_of_elo(70.0);
    let binomial = 60.0 * (p1 / p0).ln() + 40.0 * ((1.0 - p1) / (1.0 - p0)).ln();
    let llr = sprt.llr(&won(60, 40));
    assert!((llr - binomial).abs() < 1e-2, "{llr} {binomial}");
}

#[test]
fn tests_of_nonsense_are_refused() {
    for text in [
        "5,0",
        "nan,0",
        "0,5,0,0.05",
        "0,5,0.05,0.5",
        "0",
        "0,5,0.1",
        "a,b",
    ] {
        assert!(text.parse::<Sprt>().is_err(), "{text}");
    }
}

#[test]
fn normalized_elo_counts_deviations_of_a_game() {
    // 60 won, 40 lost: a deviation of sqrt(0.24) and a lead of 0.1.
    let elo = won(60, 40).normalized_elo().unwrap();
    let expected = 347.43558 * 0.1 / 0.24f64.sqrt();
    assert!((elo.estimate.unwrap() - expected).abs() < 1e-3, "{elo}");
    assert!(elo.low < elo.estimate && elo.estimate < elo.high);
    // Independent games in pairs: 36 % won twice, 48 % shared, 16 % lost twice.
    let pairs = Tally {
        pairs: [16, 0, 48, 0, 36],
        ..won(120, 80)
    };
    let paired = pairs.normalized_elo().unwrap().estimate.unwrap();
    assert!((paired - expected).abs() < 1e-3, "{paired}");
    assert_eq!(won(9, 0).normalized_elo(), None);
    assert_eq!(won(20, 0).normalized_elo(), None);
}
