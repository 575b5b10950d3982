#!/bin/sh
# Opens an SGF file of ours in quarry, a program for Go, goes to its last node and takes a picture
# to be looked at: docs/open_in_quarry.sh GAME.sgf PICTURE.png
#
# Debian: apt-get install quarry xvfb xauth xdotool imagemagick
set -eu

if [ $# -ne 2 ]; then
    echo "usage: $0 GAME.sgf PICTURE.png" >&2
    exit 2
fi
if [ -z "${ODDLY_IN_XVFB-}" ]; then
    ODDLY_IN_XVFB=1 exec xvfb-run --auto-servernum --server-args="-screen 0 790x595x24" "$0" "$@"
fi

home=$(mktemp -d)
HOME=$home timeout 120 /usr/games/quarry "$1" &
quarry=$!
trap 'kill "$quarry" 2>/dev/null || true; wait "$quarry" 2>/dev/null || true; rm -rf "$home"' EXIT

sleep "${SECONDS_TO_START:-10}"
# The button "End" of the toolbar, where it is in a window of the first start.
xdotool mousemove 730 55 click 1
sleep 3
import -window root "$2"
echo "$2 shows $1 at its last node"
