//! The values of the boundary: numbers of moves, texts, messages, objects.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::fmt::Display;
use std::path::PathBuf;
use std::ptr;

/// The number of the binary interface: a change that breaks programs raises it. The library's file has it in its name.
pub const EMILIA_ABI: u32 = 1;
/// A pass.
pub const EMILIA_PASS: u8 = 64;
/// The longest line that is reported, in plies.
pub const EMILIA_LINE_MOVES: usize = 64;

thread_local! {
    static MESSAGE: RefCell<CString> = RefCell::default();
}

/// Leaves a message for [`emilia_error`].
pub(super) fn fail(message: impl Display) {
    let text = message.to_string().replace('\0', " ");
    MESSAGE.set(CString::new(text).unwrap_or_default());
}

/// The object, or a message about a null pointer in the place of `what`.
pub(super) fn present<T>(object: Option<T>, what: &str) -> Option<T> {
    if object.is_none() {
        fail(format_args!("expected {what}, found a null pointer"));
    }
    object
}

/// The value, or a message with the error.
pub(super) fn value_of<T, E: Display>(result: Result<T, E>) -> Option<T> {
    result.map_err(fail).ok()
}

/// A text of the caller.
pub(super) unsafe fn text<'a>(text: *const c_char) -> Option<&'a str> {
    let text = present((!text.is_null()).then_some(text), "a text")?;
    // SAFETY: the caller's promise.
    let bytes = unsafe { CStr::from_ptr(text) };
    value_of(bytes.to_str().map_err(|_| "expected a text in UTF-8"))
}

/// A file's path, or `None` inside for a null pointer.
pub(super) unsafe fn path(from: *const c_char) -> Option<Option<PathBuf>> {
    if from.is_null() {
        return Some(None);
    }
    // SAFETY: the caller's promise.
    unsafe { text(from) }.map(|path| Some(path.into()))
}

/// An object for the caller to own; null after an error.
pub(super) fn owned<T, E: Display>(made: Result<T, E>) -> *mut T {
    value_of(made).map_or(ptr::null_mut(), |object| Box::into_raw(Box::new(object)))
}

/// Takes an object back.
pub(super) unsafe fn free<T>(object: *mut T) {
    if !object.is_null() {
        // SAFETY: the caller's promise.
        drop(unsafe { Box::from_raw(object) });
    }
}

/// The version, such as `0.2.0`.
#[unsafe(no_mangle)]
pub extern "C" fn emilia_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// The `EMILIA_ABI` of the library.
#[unsafe(no_mangle)]
pub extern "C" fn emilia_abi() -> u32 {
    EMILIA_ABI
}

/// The message of the last failure on this thread: one line, valid until the next failure.
#[unsafe(no_mangle)]
pub extern "C" fn emilia_error() -> *const c_char {
    MESSAGE.with_borrow(|message| message.as_ptr())
}
