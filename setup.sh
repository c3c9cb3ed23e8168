#!/usr/bin/env bash
# Makes a bare Debian or Ubuntu machine ready to build and run CLAMPS, and says what it did: an OpenCL loader with its link
# library and headers, PoCL (OpenCL on the CPU), clinfo, a C linker, Rust. What is there already is left alone.
# Rust comes from the distribution's package rustup where there is one, else from rustup's own installer; where neither can
# download it, from the distribution's package cargo, if that is new enough.
# A GPU needs its vendor's driver besides. Without root: says what to install, and fails if the build or
# the run could not work without it.
set -euo pipefail
cd "$(dirname "$0")"

oldest=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
own_bin=${CARGO_HOME:-$HOME/.cargo}/bin

missing=()
installed() { dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null | grep -qx installed; }
need() { installed "$1" || missing+=("$1"); }

# Whether this version of Rust is new enough.
new_enough() {
    [ -n "$1" ] && [ "$(printf '%s\n' "$oldest" "$1" | sort -V | head -n 1)" = "$oldest" ]
}

# Whether this cargo is there and new enough.
serves() {
    local found
    found=$("$1" --version 2>/dev/null | cut -d ' ' -f 2) && new_enough "$found"
}

if serves cargo || serves "$own_bin/cargo"; then
    rust_missing=no
else
    rust_missing=yes
fi

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "setup.sh: this is neither Debian nor Ubuntu. Install by hand: an OpenCL ICD loader with libOpenCL.so" >&2
    echo "and headers, an OpenCL runtime (PoCL, or your GPU's driver), a C linker, Rust $oldest from https://rustup.rs" >&2
    exit 1
fi

need ocl-icd-opencl-dev
need opencl-headers
need pocl-opencl-icd
need clinfo
command -v cc >/dev/null || need build-essential
if [ "$rust_missing" = yes ]; then
    command -v curl >/dev/null || need curl
    need ca-certificates
fi

root=()
if [ "$(id -u)" = 0 ]; then
    may_install=yes
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    may_install=yes
    root=(sudo -n)
else
    may_install=no
fi
install_packages() {
    echo "setup.sh: installing $*"
    ${root[@]+"${root[@]}"} env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$@"
}

# The version of a package that could be installed; nothing where others only mention it.
candidate() {
    LC_ALL=C apt-cache policy "$1" | sed -n 's/^  Candidate: //p' | grep -vxF '(none)'
}

# Whether the distribution has a cargo that is new enough. Its version is that of Rust, behind an epoch at times.
offers_cargo() {
    local version
    version=$(candidate rustc) && version=${version#*:} && new_enough "${version%%[^0-9.]*}"
}

# The distribution's rustup stands in the way of its own cargo and rustc, which are older.
wants_package() {
    [ "$rust_missing" = yes ] && ! command -v rustup >/dev/null && [ "$may_install" = yes ] &&
        ! installed cargo && ! installed rustc
}

if [ ${#missing[@]} -gt 0 ] && [ $may_install = no ]; then
    echo "setup.sh: not root. Please have these packages installed, then go on:" >&2
    echo "    sudo apt-get install --no-install-recommends ${missing[*]}" >&2
    # clinfo is for people, and headers are not read by the build: neither is worth a failure.
    for package in "${missing[@]}"; do
        case $package in
            clinfo | opencl-headers) ;;
            *) failed=yes ;;
        esac
    done
    [ -z "${failed:-}" ] || exit 1
    missing=()
fi
if [ ${#missing[@]} -gt 0 ] || wants_package; then
    ${root[@]+"${root[@]}"} apt-get update -qq
fi
if [ ${#missing[@]} -gt 0 ]; then
    install_packages "${missing[@]}"
fi

if [ "$rust_missing" = yes ]; then
    if wants_package && candidate rustup >/dev/null; then
        install_packages rustup
    fi
    if command -v rustup >/dev/null; then
        rustup=rustup
    elif [ -x "$own_bin/rustup" ]; then
        rustup=$own_bin/rustup
    else
        rustup=
    fi
    if [ -n "$rustup" ]; then
        echo "setup.sh: installing Rust (stable) with $rustup"
        "$rustup" toolchain install stable --profile minimal --no-self-update && "$rustup" default stable || rust_failed=yes
    else
        echo "setup.sh: installing Rust (stable) with rustup's installer from https://rustup.rs, below $own_bin"
        # The installer is read whole before any of it runs.
        if installer=$(curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs); then
            # A cargo of the distribution that is too old stays where it is.
            RUSTUP_INIT_SKIP_PATH_CHECK=yes sh -s -- -y --profile minimal --default-toolchain stable <<<"$installer" || rust_failed=yes
        else
            rust_failed=yes
        fi
    fi
    # The packages of a distribution can be at hand where rustup's downloads are not; of rustup and cargo it has one installed.
    if [ -n "${rust_failed:-}" ] && [ "$may_install" = yes ] && offers_cargo; then
        echo "setup.sh: rustup could not install Rust; the distribution's cargo is new enough"
        install_packages cargo && rust_failed=
    fi
    if [ -n "${rust_failed:-}" ]; then
        echo "setup.sh: Rust $oldest or later could not be installed; all else is there. Install it by hand, see https://rustup.rs" >&2
        if [ "$may_install" = no ] && offers_cargo; then
            echo "    or have the distribution's installed, which is new enough: sudo apt-get install cargo" >&2
        fi
        exit 1
    fi
fi

# A shell finds a cargo that was installed just now only after it has read its new PATH.
if serves cargo; then
    echo "setup.sh: ready, with $(cargo --version)"
elif serves "$own_bin/cargo"; then
    echo "setup.sh: ready, with $("$own_bin/cargo" --version). This shell finds it after"
    echo "    . \"$(dirname "$own_bin")/env\""
else
    echo "setup.sh: there is still no cargo of Rust $oldest or later: $(cargo --version 2>&1 || true)" >&2
    exit 1
fi
