#!/bin/sh
# Builds the example engines that need building into examples/build, and says what it left out.
# Usage: examples/build.sh [c|go|rust]...   (default: all)
set -eu
cd "$(dirname "$0")"

has() {
    command -v "$1" >/dev/null 2>&1 && return
    echo "SKIPPED $2: there is no $1 on PATH" >&2
    return 1
}

for language in ${*:-c go rust}; do
    mkdir -p "build/$language"
    for engine in tiny full; do
        program=build/$language/$engine
        # Nothing to do for what is newer than its source.
        [ -z "$(find "$program" -newer "$language/$engine".* 2>/dev/null)" ] || continue
        case $language in
        c) has "${CC:-cc}" c || break
            "${CC:-cc}" -std=c99 -O2 -Wall -Wextra -Wpedantic -o "$program-$$" "c/$engine.c" ;;
        go) has go go || break
            go build -o "$program-$$" "go/$engine.go" ;;
        rust) has rustc rust || break
            rustc --edition 2021 -O -o "$program-$$" "rust/$engine.rs" ;;
        *) echo "unknown language '$language': expected c, go or rust" >&2; exit 2 ;;
        esac
        # At once, so that nobody starts half a program. rustc names its parts up to the first dot.
        mv "$program-$$" "$program"
        echo "built examples/$program"
    done
done
