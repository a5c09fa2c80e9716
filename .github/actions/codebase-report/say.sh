# How the steps speak: as messages of the workflow where there is one, else as plain lines.

in_actions() { [ "${GITHUB_ACTIONS:-}" = true ]; }

# notice|warning|error and a sentence.
say() {
  local text=${2//%/%25}
  text=${text//$'\r'/ }
  text=${text//$'\n'/ }
  if in_actions; then
    printf '::%s title=Codebase report::%s\n' "$1" "$text"
  else
    printf '%s: %s\n' "$1" "$2"
  fi
}

# Prints what a program said, which can hold names out of the repository: no line of it is a command to the runner.
repeat() {
  local pause
  pause=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  if in_actions; then printf '::stop-commands::%s\n' "$pause"; fi
  head -c 20000 "$1" | tr -d '\000-\010\013-\037\177'
  printf '\n'
  if in_actions; then printf '::%s::\n' "$pause"; fi
}

# A figure less is no reason for a red job, unless the workflow says so.
give_up() {
  if [ "${FAIL_ON_ERROR:-}" = true ]; then
    say error "$1"
    exit 1
  fi
  say warning "$1"
  exit 0
}

# What the next steps are told.
output() {
  if [ -n "${GITHUB_OUTPUT:-}" ]; then printf '%s\n' "$1" >> "$GITHUB_OUTPUT"; fi
}
