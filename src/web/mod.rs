#![doc = include_str!("README.md")]
// Tests use sessions, not the exports.
#![cfg_attr(test, allow(dead_code))]

mod calls;
mod lookup;
mod reading;
mod session;

use std::panic;
use std::sync::Mutex;

use serde_json::json;

use crate::util::{clock, lock};
use session::PageSession;

#[cfg(not(test))]
#[link(wasm_import_module = "env")]
unsafe extern "C" {
    fn emilia_line(text: *const u8, length: usize);
}

/// Tests have no host: they read a session's lines.
#[cfg(test)]
unsafe extern "C" fn emilia_line(_: *const u8, _: usize) {}

static SESSION: Mutex<Option<PageSession>> = Mutex::new(None);

/// Hands a line of output to the host.
fn write(line: &str) {
    // SAFETY: the host only reads the text, during the call.
    unsafe { emilia_line(line.as_ptr(), line.len()) };
}

/// Unpacks the weights and makes the searcher; 0 if memory is short.
#[cfg_attr(not(test), unsafe(no_mangle))]
extern "C" fn emilia_start(hash_mib: usize) -> i32 {
    panic::set_hook(Box::new(|panic| {
        write(&json!({ "panic": panic.to_string() }).to_string())
    }));
    *lock(&SESSION) = PageSession::new(hash_mib, write);
    lock(&SESSION).is_some().into()
}

/// Room for a line of input, for [`emilia_send`].
#[cfg_attr(not(test), unsafe(no_mangle))]
extern "C" fn emilia_alloc(length: usize) -> *mut u8 {
    Box::into_raw(vec![0u8; length].into_boxed_slice()).cast()
}

/// Takes a line of input in the room of [`emilia_alloc`], and the room.
///
/// # Safety
/// `text` is from `emilia_alloc` with this length, and is given only once.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn emilia_send(text: *mut u8, length: usize) {
    // SAFETY: the caller's promise.
    let text = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(text, length)) };
    if let Some(session) = lock(&SESSION).as_mut() {
        session.take(&String::from_utf8_lossy(&text));
    }
}

/// Searches for so long; 1 if positions are left.
#[cfg_attr(not(test), unsafe(no_mangle))]
extern "C" fn emilia_run(milliseconds: f64) -> i32 {
    // A number too large for an integer becomes the largest.
    let end = clock::micros().saturating_add((milliseconds * 1000.0) as u64);
    lock(&SESSION)
        .as_mut()
        .is_some_and(|session| session.search_until(end))
        .into()
}
