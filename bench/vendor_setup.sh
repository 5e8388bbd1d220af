#!/bin/sh
# Makes the environments of bench/vendor_checks.py in a folder of its own (about 11 GB with PyPI's torch, 5 GB without
# CUDA):
#
#     bench/vendor_setup.sh ~/.cache/cpplan/vendor
#
# Needs Python 3.12 (PYTHON312=path if it is not on PATH), g++ and, from Debian, clang-19 and binutils-riscv64-unknown-elf.
# TORCH_INDEX is where torch comes from. The runtime is unofficial without hardware, so its version is pinned exactly.
set -eu
if [ $# -ne 1 ]; then
    echo "usage: $0 FOLDER" >&2
    exit 2
fi
bench=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
home=$(cd "$1" && pwd)
python=${PYTHON312:-python3.12}

missing=""
"$python" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 12))' 2>/dev/null ||
    missing="$missing
  Python 3.12: set PYTHON312 to one (ttnn has wheels for 3.10 and 3.12)"
command -v g++ >/dev/null || missing="$missing
  g++, whose C++ headers the kernels use: apt-get install g++"
command -v clang++-19 >/dev/null || missing="$missing
  clang++-19: apt-get install --no-install-recommends clang-19"
command -v riscv64-unknown-elf-ld >/dev/null || missing="$missing
  riscv64-unknown-elf-ld: apt-get install binutils-riscv64-unknown-elf"
if [ -n "$missing" ]; then
    echo "error: missing for the checks with the vendor's software:$missing" >&2
    exit 1
fi

[ -x "$home/env/bin/python" ] || "$python" -m venv "$home/env"
pip="$home/env/bin/pip install -q --disable-pip-version-check"
index=${TORCH_INDEX:-https://download.pytorch.org/whl/cpu}

# with_torch ENVIRONMENT
with_torch() {
    "$1/bin/python" -c 'import torch' 2>/dev/null && return
    "$1/bin/pip" install -q --disable-pip-version-check --index-url "$index" torch==2.13.0 && return
    echo "no torch 2.13.0 at $index: taking PyPI's, with CUDA (several GB; set TORCH_INDEX to avoid that)" >&2
    "$1/bin/pip" install -q --disable-pip-version-check torch==2.13.0
}
with_torch "$home/env"
$pip --no-deps ttnn==0.81.1 wolfpine==2.2
$pip -r "$bench/vendor/requirements.txt"
$pip --no-deps -e "$bench/.."

# TT-Lang's simulator has an environment of its own: beside ttnn it takes that for its tensors, and no slice works.
[ -x "$home/ttlang/bin/python" ] || "$python" -m venv "$home/ttlang"
with_torch "$home/ttlang"
"$home/ttlang/bin/pip" install -q --disable-pip-version-check tt-lang-sim==1.1.6
"$home/ttlang/bin/tt-lang-sim" --version >/dev/null

# The runtime's root: the wheel's files, and our compiler where it looks for its own.
wheel=$("$home/env/bin/python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')/ttnn
compiler="$home/metal/runtime/sfpi/compiler/bin/riscv-tt-elf-g++"
mkdir -p "$(dirname "$compiler")"
for entry in "$wheel"/*; do
    [ "$(basename "$entry")" = runtime ] || ln -sfn "$entry" "$home/metal/$(basename "$entry")"
done
ln -sfn "$wheel/runtime/hw" "$home/metal/runtime/hw"
printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$home/env/bin/python" "$bench/vendor/compiler.py" >"$compiler"
chmod +x "$compiler"
"$home/env/bin/python" -c 'import ttnn, framework, cpplan.typecheck.units' >/dev/null
echo "ready: python bench/vendor_checks.py --home $home"
