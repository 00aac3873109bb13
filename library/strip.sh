#!/bin/sh
# Leaves debug information out of the installed static library, as Meson does it for everything else.
# usage: strip.sh FILE, below the prefix
file=$MESON_INSTALL_DESTDIR_PREFIX/$1
[ ! -f "$file" ] || exec "${STRIP:-strip}" --strip-debug "$file"
