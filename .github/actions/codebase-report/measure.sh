#!/usr/bin/env bash
# Measures CHECKOUT into the file REPORT, in a container that has no network and is given no secret.
set -uo pipefail
LC_ALL=C

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
. "$here/say.sh"

log=$REPORT.log
rm -f -- "$REPORT"

command -v docker > /dev/null || give_up "Nothing was measured: this runner has no docker."

image=${IMAGE:-}
if [ -z "$image" ]; then
  # Beside the action where it was written into a repository; the root of Tower's own where it is used from there.
  context=$here/image
  if [ ! -f "$context/Dockerfile" ]; then context=$here/../../..; fi
  # By its id: two runs beside each other never measure with each other's. The default builder is the one that keeps what it made.
  if ! image=$(BUILDX_BUILDER=default timeout 600 docker build --quiet --target measure "$context" 2> "$log"); then
    repeat "$log"
    give_up "Nothing was measured: the measuring image could not be built."
  fi
fi
case $image in
  [A-Za-z0-9]*) ;;
  *) give_up "Nothing was measured: the input image is not the name of an image." ;;
esac

paths=()
while IFS= read -r path; do
  path=${path%$'\r'}
  if [ -n "$path" ]; then paths+=("--path=$path"); fi
done <<< "${PATHS:-}"

# As whoever owns the checkout: it may be nobody else's to read.
MEASURE_IMAGE=${IMAGE:-} docker run --rm --network none --read-only --tmpfs /tmp:size=1g --cap-drop ALL \
  --security-opt no-new-privileges --user "$(id -u):$(id -g)" \
  --mount "type=bind,source=$CHECKOUT,target=/repo,readonly" \
  -e ASSET -e MEASURE_IMAGE -e GITHUB_REF_NAME -e CI_COMMIT_REF_NAME \
  "$image" /repo \
  "--measure=build_passed=${BUILD_PASSED:-}" \
  "--measure=tests_passed=${TESTS_PASSED:-}" \
  "--measure=vulnerable_dependencies=${VULNERABLE_DEPENDENCIES:-}" \
  ${paths[@]+"${paths[@]}"} --out - > "$REPORT" 2> "$log"
code=$?
repeat "$log"
if [ "$code" -ne 0 ]; then
  rm -f -- "$REPORT"
  give_up "Nothing was measured: the measuring ended with $code."
fi
output measured=1

# The measures alone are numbers by number names: nothing of the repository's own words comes this far.
if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [[ $(head -c 65536 -- "$REPORT") =~ \"measures\":\{([^{}]*)\} ]]; then
  measures=${BASH_REMATCH[1]}
  {
    printf '### Codebase report\n\n| Measure | Figure |\n|---|---:|\n'
    while IFS='|' read -r key words; do
      figure='not measured'
      if [[ ,$measures, =~ ,\"$key\":([0-9.e+-]+), ]]; then figure=${BASH_REMATCH[1]}; fi
      printf '| %s | %s |\n' "$words" "$figure"
    done < "$here/figures.txt"
  } >> "$GITHUB_STEP_SUMMARY"
fi
exit 0
