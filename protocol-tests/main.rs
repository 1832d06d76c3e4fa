//! Whole conversations with the built `emilia`: transcripts, scenarios and random input.
//!
//! A transcript is a text file under `transcripts/`; `script.rs` explains its language. Each is
//! listed below and becomes a test of that name; `every_transcript_is_listed` finds forgotten ones.

mod book_files;
mod book_games;
mod books;
mod certificates;
mod child;
mod commands;
mod companions;
mod conform;
mod crosscheck;
mod examples;
mod experiments;
mod faults;
mod fuzz;
mod hints;
mod house;
#[cfg(unix)]
mod inputs;
mod interrupts;
mod judges;
mod kills;
mod layering;
mod matches;
mod names;
mod oracle;
mod outputs;
mod parallel;
mod pipes;
mod players;
mod prose;
mod resumes;
mod samples;
mod sandbox;
mod scenarios;
mod scratch;
mod shards;
mod signals;
mod soak;
mod stores;
mod supply;
mod synthetic;
mod terminal;
mod wrappers;

use emilia_engine::internal::util::patience;

/// The program just built.
const PROGRAM: &str = env!("CARGO_BIN_EXE_emilia");

/// Declares the transcripts of a folder: `name` is `transcripts/<folder>/<name>.txt`.
macro_rules! transcripts {
    ($($folder:ident: $($(#[$only:meta])* $name:ident)*;)*) => {
        $(mod $folder {
            $(#[test]
            $(#[$only])*
            fn $name() {
                let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/protocol-tests/transcripts/");
                let path = format!("{folder}{}/{}.txt", stringify!($folder), stringify!($name));
                if let Err(crate::child::Failure(what)) = crate::child::run(path.as_ref()) {
                    panic!("{path}: {what}");
                }
            })*
        })*

        /// Folder and name of every listed transcript.
        const LISTED: &[(&str, &str)] = &[$($((stringify!($folder), stringify!($name)),)*)*];
    };
}

transcripts! {
    edax:
        detected
        mode
        settings
        solve
        solve_missing
        table
        table_pass
    ;
    cli:
        analyze
        analyze_bad
        analyze_bounded
        analyze_cancel
        analyze_empty
        analyze_fields
        analyze_file
        analyze_file_options
        analyze_mark
        analyze_output
        analyze_output_exists
        analyze_output_gone
        analyze_position
        analyze_resume
        analyze_resume_games
        analyze_schema
        analyze_table
        analyze_why
        analyze_why_json
        bad_arguments
        bad_command
        bad_elo
        bad_level
        bad_threads
        bench
        bench_depth
        bench_empty
        bench_missing
        bench_ranges
        convert_adjudicated
        convert_bad
        convert_bits
        convert_empty
        convert_faults
        convert_ggf
        convert_headings
        convert_illegal
        convert_json
        convert_keep_going
        convert_lines
        convert_literal
        convert_many_sgf
        convert_missing
        convert_moves
        convert_repair
        convert_resigned
        convert_separators
        convert_sgf
        convert_start
        convert_stream
        convert_synchro
        convert_tags
        help_json
        logging
        match_constants
        match_empty
        no_input
        perft
        perft_bad
        perft_nine
        perft_seven
        play_bad_clock
        play_bad_load
        play_both_engines
        play_early_board
        play_interrupt
        play_interrupt_paste
        play_paste
        play_paste_end
        play_player
        play_script
        quit_first
        report_empty
        report_folder
        report_many_to_one
        report_page
        settings
        show_bad
        show_board
        show_dash
        show_empty
        show_garbage
        show_json
        show_many
        show_moves
        show_note
        show_opening
        show_over
        show_over_json
        show_pass
        show_picture_of_two
        show_position
        show_repair
        show_signal
        show_stdin
        show_stream
        show_svg
        show_eval_missing
        show_why_json
        solve
        solve_all_moves
        solve_empty
        solve_folder
        solve_games
        solve_garbage
        solve_json
        solve_keep_going
        solve_missing
        solve_signal
        solve_stream
        solve_wld
        solve_wrong
        usage_without_command
        version
    ;
    gtp:
        analyze
        analyze_end
        analyze_moves
        autodetect
        autodetect_number
        batch
        commands_during_search
        cputime
        eval_file_foreign
        eval_file_missing
        gogui_analysis
        gogui_live
        gogui_rules_end
        interrupt_behind_many
        known_commands
        loadsgf
        loadsgf_errors
        #[cfg(target_os = "linux")] log_full
        move_time
        params
        play_sequence
        ponder
        repeated_move
        set_level
        set_position
        settings
        showboard
        signal
        spelling_battle
        spelling_edax
        spelling_egaroucid
        spelling_idle
        spelling_notes
        spelling_runner
        spelling_unknown
        stable_discs
        stop
        unknown_option
    ;
    nboard:
        analyze_black_view
        autodetect
        autodetect_ping
        batch
        contempt_draw
        exact_hint
        learn
        learn_book
        malformed
        odd_start
        ping_without_number
        ponder
        sigterm
        spelling_dashes
        spelling_nboard
        stop_at_once
        unknown_lines_in_go
        version_1
    ;
}

#[test]
fn every_transcript_is_listed() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/protocol-tests/transcripts");
    let mut found = vec![];
    for folder in std::fs::read_dir(root).unwrap() {
        let folder = folder.unwrap();
        for file in std::fs::read_dir(folder.path()).unwrap() {
            let name = file.unwrap().file_name().into_string().unwrap();
            found.push((folder.file_name().into_string().unwrap(), name));
        }
    }
    let mut listed: Vec<_> = LISTED
        .iter()
        .map(|(folder, name)| (folder.to_string(), format!("{name}.txt")))
        .collect();
    found.sort();
    listed.sort();
    assert_eq!(
        found, listed,
        "files on the left, the list in main.rs on the right"
    );
}
