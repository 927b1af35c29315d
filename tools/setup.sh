#!/usr/bin/env bash
# Installs what building, testing or measuring needs and this machine lacks; nothing else.
#
#   tools/setup.sh [build] [page] [bench] [clang] [fuzz] [format] [tidy]
#
# What is there already, found by `command -v`, pkg-config or an import, is left alone. Without root
# it prints the one line that would install the rest, and exits 1. node, npm and (part page) chromium
# are wanted, not needed: without them the report or its browser tests are left out, it says so and
# exits 0.
set -euo pipefail

missing=()
wanted=()

need_command() {  # COMMAND PACKAGE
  command -v "$1" >/dev/null 2>&1 || missing+=("$2")
}

want_command() {  # PACKAGE COMMAND…: any of the commands will do
  local package="$1" name
  shift
  for name in "$@"; do
    if command -v "$name" >/dev/null 2>&1; then return; fi
  done
  wanted+=("$package")
}

need_library() {  # PKG-CONFIG-NAME PACKAGE
  if ! command -v pkg-config >/dev/null 2>&1 || ! pkg-config --exists "$1"; then
    missing+=("$2")
  fi
}

need_object() {  # LIBRARY PACKAGE
  local found
  found=$(compgen -G "/usr/lib/lib$1.so" || compgen -G "/usr/lib/*/lib$1.so" ||
          compgen -G "/usr/local/lib/lib$1.so") || true
  [ -n "$found" ] || missing+=("$2")
}

need_header() {  # HEADER PACKAGE
  [ -e "/usr/include/$1" ] || [ -e "/usr/local/include/$1" ] || missing+=("$2")
}

# One interpreter must have all the modules; which one does not matter.
need_python_modules() {
  local python
  for python in /usr/bin/python3 python3; do
    if "$python" -c 'import jsonschema, yaml' >/dev/null 2>&1; then return; fi
  done
  missing+=(python3-jsonschema python3-yaml)
}

need_build() {
  need_command g++ g++
  need_command cmake cmake
  need_command ninja ninja-build
  need_command pkg-config pkg-config
  need_library eigen3 libeigen3-dev
  need_library yaml-cpp libyaml-cpp-dev
  need_library fmt libfmt-dev
  need_library nlohmann_json nlohmann-json3-dev
  need_library CLI11 libcli11-dev
  need_header suitesparse/klu.h libsuitesparse-dev
  need_object lbfgsb liblbfgsb-dev
  need_library nlopt libnlopt-dev
  need_library ipopt coinor-libipopt-dev
  # The build folders are configured with their tests.
  need_command python3 python3
  need_python_modules
  need_library gtest libgtest-dev
  need_library gmock libgmock-dev
  # The page of `kinegrad report`.
  want_command nodejs node nodejs
  want_command npm npm
}

# The browser that the page is tested in.
need_page() { want_command chromium chromium chromium-browser google-chrome; }

need_bench() { need_library benchmark libbenchmark-dev; }
need_clang() { need_command clang++ clang; }
# libFuzzer and the sanitizers' runtime, which Debian keeps apart from clang.
need_fuzz() {
  need_clang
  compgen -G "/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a" >/dev/null ||
    missing+=(libclang-rt-14-dev)
}
need_format() { need_command clang-format clang-format; }
need_tidy() {
  need_clang
  need_command clang-tidy clang-tidy
}

[ $# -gt 0 ] || set -- build
for part in "$@"; do
  case "$part" in
    build | page | bench | clang | fuzz | format | tidy) "need_$part" ;;
    *)
      echo "setup: unknown part \"$part\" (build, page, bench, clang, fuzz, format, tidy)" >&2
      exit 2
      ;;
  esac
done

[ $((${#missing[@]} + ${#wanted[@]})) -gt 0 ] || exit 0

install="apt-get install --no-install-recommends"
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
  if [ ${#wanted[@]} -gt 0 ]; then
    echo "setup: ${wanted[*]} not found; what needs them (kinegrad report, or its browser tests)" >&2
    echo "is left out. As root, on Debian or a relative: $install ${wanted[*]}" >&2
  fi
  [ ${#missing[@]} -gt 0 ] || exit 0
  mapfile -t missing < <(printf '%s\n' "${missing[@]}" | sort -u)
  echo "setup: packages are missing. As root, on Debian or a relative:" >&2
  echo "  $install ${missing[*]}" >&2
  exit 1
fi

export DEBIAN_FRONTEND=noninteractive
mapfile -t packages < <(printf '%s\n' "${missing[@]}" "${wanted[@]}" | sed '/^$/d' | sort -u)
echo "setup: installing ${packages[*]}"
apt-get update -qq
if [ ${#missing[@]} -gt 0 ]; then
  apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null
fi
for package in ${wanted[@]+"${wanted[@]}"}; do
  apt-get install -qq -y --no-install-recommends "$package" >/dev/null ||
    echo "setup: $package could not be installed; what needs it is left out" >&2
done
