#!/bin/sh
# Makes the root file system of the image: the server, the libraries that it needs, a user that is nobody. Nothing else: no
# shell, no package manager. The Containerfile and tests/server/image.py use it.
#
# Usage: root.sh SERVER DIRECTORY
set -eu
server=$1 root=$2
mkdir -p "$root/etc" "$root/certs" "$root/policies" "$root/tmp"
install -m 0755 "$server" "$root/portcullis-server"
# Each library at the place where the linker finds it.
ldd "$server" | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p; s/^[[:space:]]*\(\/[^ ]*ld-linux[^ ]*\) .*/\1/p' | while read -r library; do
  mkdir -p "$root$(dirname "$library")"
  cp -L "$library" "$root$library"
done
echo 'nobody:x:65532:65532:nobody:/:/sbin/nologin' >"$root/etc/passwd"
echo 'nobody:x:65532:' >"$root/etc/group"
echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
