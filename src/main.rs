//! The `emilia` binary: make sure of the processor, parse arguments, run, print the error chain once, exit.

use std::io::{self, Write};
use std::process::ExitCode;

use emilia::start::cpu;

// SAFETY: the section holds pointers to `extern "C"` functions that the loader calls once, before `main`; the guard needs
// nothing that `main`'s runtime would set up.
#[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
#[used]
#[unsafe(link_section = ".init_array")]
static GUARD: extern "C" fn() = cpu::guard;

fn main() -> ExitCode {
    #[cfg(all(feature = "launcher", any(unix, windows), target_arch = "x86_64"))]
    emilia::start::launcher::start_best_build();
    if !cpu::suffices() {
        // Nothing is left to do if stderr does not take it.
        let _ = io::stderr().write_all(cpu::REFUSAL.as_bytes());
        return ExitCode::from(2);
    }
    emilia::cli::main()
}
