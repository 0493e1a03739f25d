#!/usr/bin/env bash
# dpp-py reads no member of a xar archive that is compressed as the format has it.
#
# Version: dpp-py 0.4.1 (PyPI), libarchive's bsdtar 3.6.2 (Debian 12).
# Expected: a member of a xar archive, and so of a flat package for macOS, whose encoding is application/x-gzip is a stream of zlib
# (RFC 1950): the name is that of gzip (RFC 1952), the bytes are not. libarchive, 7-Zip and Apple's tools write and read it so.
# Seen: dpp-py lists the archive, and fails at each such member with an invalid header of gzip. A member that is stored as it is,
# as Payload and Scripts are, can be read.
# What it means: Distribution, PackageInfo and Bom of a package cannot be read with it, unless they are stored.
#
# Needs Python 3.9 or later with venv, and bsdtar. Exits with 1 once such a member can be read.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check dpp-py==0.4.1

# Long enough that libarchive compresses it.
for number in $(seq 200); do echo "line $number"; done >told.txt
bsdtar --format=xar -cf told.xar told.txt
bsdtar --format=xar --options xar:compression=none -cf stored.xar told.txt
for archive in told stored; do bsdtar -xOf "$archive.xar" told.txt | cmp - told.txt; done

venv/bin/python - <<'PROGRAM'
import sys

import dpp

told = open("told.txt", "rb").read()
with dpp.XarArchive.open("stored.xar") as archive:
    print("stored as it is, it can be read:", bytes(archive.read_file(0)) == told)
with dpp.XarArchive.open("told.xar") as archive:
    paths = [one.path for one in archive.files]
    print("listed:", paths)
    try:
        # By the place in the list.
        read = archive.read_file(0)
    except Exception as error:
        print("seen:", error)
        sys.exit(0 if "gzip" in str(error).lower() else 1)
print("it can be read now:", bytes(read) == told)
sys.exit(1)
PROGRAM
