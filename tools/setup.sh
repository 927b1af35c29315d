#!/usr/bin/env bash
# Installs what building, testing or measuring needs and this machine lacks; nothing else.
#
#   tools/setup.sh [build] [bench] [clang] [format] [tidy]
#
# What is there already, found by `command -v`, pkg-config or an import, is left alone. Without root
# it prints the one line that would install the rest, and exits 1.
set -euo pipefail

missing=()

need_command() {  # COMMAND PACKAGE
  command -v "$1" >/dev/null 2>&1 || missing+=("$2")
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
}

need_bench() { need_library benchmark libbenchmark-dev; }
need_clang() { need_command clang++ clang; }
need_format() { need_command clang-format clang-format; }
need_tidy() {
  need_clang
  need_command clang-tidy clang-tidy
}

[ $# -gt 0 ] || set -- build
for part in "$@"; do
  case "$part" in
    build | bench | clang | format | tidy) "need_$part" ;;
    *)
      echo "setup: unknown part \"$part\" (build, bench, clang, format, tidy)" >&2
      exit 2
      ;;
  esac
done

[ ${#missing[@]} -gt 0 ] || exit 0
mapfile -t missing < <(printf '%s\n' "${missing[@]}" | sort -u)

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
  echo "setup: packages are missing. As root, on Debian or a relative:" >&2
  echo "  apt-get install --no-install-recommends ${missing[*]}" >&2
  exit 1
fi

echo "setup: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null
