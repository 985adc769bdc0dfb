#!/usr/bin/env bash
# install-packages.sh [tools]: installs the Debian packages Kiln is built and
# tested with; with `tools`, only those that the tools and the manual need.
# Quick and silent when nothing is missing. Installs with apt where the user may
# (root, or sudo without a password); otherwise prints the exact command and
# stops.
set -euo pipefail

packages=(
  # Compiler and build tools.
  g++ clang-22 cmake ninja-build ccache make lld-22 python3
  # LLVM and MLIR: the compiler is built on them.
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools
  # Libraries.
  libboost1.81-dev libfmt-dev libabsl-dev nlohmann-json3-dev libz3-dev
  libtcmalloc-minimal4
)
if [[ ${1:-} != tools ]]; then
  packages+=(
    catch2 libsimde-dev python3-numpy nodejs
    # A browser for the report, and letters for its pictures.
    chromium fonts-dejavu-core
    # Sanitizers and fuzzers; style.
    clang-tidy-22 clang-format-22 libclang-rt-22-dev
    # An emulated computer for what no host here can run (test/emulated).
    bochs bochs-term bochsbios vgabios isolinux syslinux-common xorriso
  )
fi
# What the emulated computer starts is no package of this machine.
finish() { [[ ${1:-} == tools ]] || "$(dirname "$0")/fetch-guest-kernel.sh"; }

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null || true)
  [[ $status == ii* ]] || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  finish "$@"
  exit
fi

if ! command -v apt-get >/dev/null; then
  echo "Kiln needs these Debian 12 packages: ${missing[*]}" >&2
  echo "This machine has no apt-get; install their equivalents and try again." >&2
  exit 1
fi

install=(apt-get install -y --no-install-recommends "${missing[@]}")
if ((EUID == 0)); then
  as_root=(env DEBIAN_FRONTEND=noninteractive)
elif sudo -n true 2>/dev/null; then
  as_root=(sudo -n env DEBIAN_FRONTEND=noninteractive)
else
  echo "Kiln needs packages that are not installed, and this user may not install them. Run:" >&2
  echo "  sudo apt-get update && sudo ${install[*]}" >&2
  exit 1
fi

echo "Installing ${missing[*]}"
# A fresh machine has no package lists, or old ones that name files which are gone.
known=true
for package in "${missing[@]}"; do
  apt-cache show "$package" >/dev/null 2>&1 || known=false
done
if ! $known || ! "${as_root[@]}" "${install[@]}" </dev/null; then
  "${as_root[@]}" apt-get update </dev/null
  "${as_root[@]}" "${install[@]}" </dev/null
fi
finish "$@"
