//! The `emilia` binary: parse arguments, run, print the error chain once, exit.

use std::process::ExitCode;

fn main() -> ExitCode {
    emilia::cli::main()
}
