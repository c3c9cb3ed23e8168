#!/usr/bin/env bash
# Installs what building and running CLAMPS needs on Debian or Ubuntu: an OpenCL loader with its link
# library and headers, PoCL (OpenCL on the CPU), clinfo, a C linker. What is there already is left alone.
# A GPU needs its vendor's driver besides. Without root: says what to install, and fails if the build or
# the run could not work without it.
set -euo pipefail

missing=()
installed() { dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null | grep -qx installed; }
need() { installed "$1" || missing+=("$1"); }

if ! command -v cargo >/dev/null && [ ! -x "${CARGO_HOME:-$HOME/.cargo}/bin/cargo" ]; then
    cargo_missing=yes
else
    cargo_missing=no
fi

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "setup.sh: this is neither Debian nor Ubuntu. Install by hand: an OpenCL ICD loader with libOpenCL.so" >&2
    echo "and headers, an OpenCL runtime (PoCL, or your GPU's driver), a C linker, Rust from https://rustup.rs" >&2
    exit 1
fi

need ocl-icd-opencl-dev
need opencl-headers
need pocl-opencl-icd
need clinfo
command -v cc >/dev/null || need build-essential
if [ "$cargo_missing" = yes ]; then
    command -v curl >/dev/null || need curl
    need ca-certificates
fi

if [ ${#missing[@]} -gt 0 ]; then
    if [ "$(id -u)" = 0 ]; then
        root=()
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        root=(sudo -n)
    else
        echo "setup.sh: not root. Please have these packages installed, then go on:" >&2
        echo "    sudo apt-get install --no-install-recommends ${missing[*]}" >&2
        # clinfo is for people, and headers are not read by the build: neither is worth a failure.
        for package in "${missing[@]}"; do
            case $package in
                clinfo | opencl-headers | curl | ca-certificates) ;;
                *) failed=yes ;;
            esac
        done
        [ -z "${failed:-}" ] || exit 1
        missing=()
    fi
fi
if [ ${#missing[@]} -gt 0 ]; then
    echo "setup.sh: installing ${missing[*]}"
    "${root[@]}" apt-get update -qq
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -qq -y --no-install-recommends "${missing[@]}"
fi

if [ "$cargo_missing" = yes ]; then
    echo "setup.sh: Rust is missing (1.88 or later). Install it with rustup, see https://rustup.rs:" >&2
    echo "    curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh" >&2
    exit 1
fi
echo "setup.sh: ready"
