#!/usr/bin/env bash
# Builds the library and installs it with its header and the file for pkg-config: `examples/c/install.sh PREFIX [DESTDIR]`, on
# Linux and other systems with ELF. A later library with the same binary interface replaces it without a new build of programs.
set -euo pipefail
[ $# -ge 1 ] || { echo "usage: examples/c/install.sh PREFIX [DESTDIR]" >&2; exit 2; }
prefix=$1
root=${2:-}$prefix
cd "$(dirname "$0")/../.."
profile=${PROFILE:-release}
folder=target/${profile/#dev/debug}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
file=libemilia.so.$(sed -n 's/^#define EMILIA_ABI //p' src/capi/emilia.h)

cargo rustc -p emilia --profile "$profile" --lib --features capi --crate-type cdylib -- -C "link-arg=-Wl,-soname,$file"
mkdir -p "$root/include" "$root/lib/pkgconfig"
install -m 644 src/capi/emilia.h "$root/include/"
install -m 755 "$folder/libemilia.so" "$root/lib/$file"
ln -sf "$file" "$root/lib/libemilia.so"
cat >"$root/lib/pkgconfig/emilia.pc" <<END
prefix=$prefix
libdir=\${prefix}/lib
includedir=\${prefix}/include

Name: emilia
Description: Othello engine
Version: $version
Libs: -L\${libdir} -lemilia
Cflags: -I\${includedir}
END
