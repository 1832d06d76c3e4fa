//! A package holds a program for any x86-64 processor and faster builds for newer ones. The program replaces itself by the
//! best build.

use std::env;

use super::os::hand_over::hand_over;

/// The folder of the faster builds, relative to the program: unpacked, or installed as `bin/emilia`.
const FOLDERS: [&str; 2] = ["builds", "../lib/emilia"];

/// Becomes the best build for this processor that starts; returns if that is this one.
pub fn start_best_build() {
    // The path of the program without links.
    let Ok(program) = env::current_exe().and_then(|path| path.canonicalize()) else {
        return;
    };
    let Some(home) = program.parent() else { return };
    for build in builds() {
        for folder in FOLDERS {
            let path = home
                .join(folder)
                .join(build)
                .with_extension(env::consts::EXE_EXTENSION);
            if path.is_file() {
                let _not_started = hand_over(&path);
            }
        }
    }
}

/// The names of the builds for this processor, best first.
fn builds() -> impl Iterator<Item = &'static str> {
    macro_rules! all_detected {
        ($($name:tt)*) => { true $(&& std::arch::is_x86_feature_detected!($name))* };
    }
    let avx2 = all_detected! {
        "sse4.2" "popcnt" "pclmulqdq" "avx" "avx2" "bmi1" "bmi2" "fma" "lzcnt" "f16c" "movbe"
    };
    let avx512 = avx2
        && all_detected! {
            "avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl" "avx512vbmi" "avx512vbmi2" "avx512vnni"
            "avx512bitalg" "avx512vpopcntdq" "gfni" "vpclmulqdq"
        };
    [("emilia-avx512", avx512), ("emilia-avx2", avx2)]
        .into_iter()
        .filter_map(|(name, is_supported)| is_supported.then_some(name))
}
