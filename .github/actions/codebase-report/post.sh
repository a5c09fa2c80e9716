#!/usr/bin/env bash
# Posts the file REPORT to the ingest. Whatever keeps it from arriving leaves it to be kept as an artifact.
set -uo pipefail
LC_ALL=C

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
. "$here/say.sh"

[ -s "$REPORT" ] || exit 0

# A secret is easily pasted with a line's end.
trim() {
  local text=$1
  text=${text#"${text%%[![:space:]]*}"}
  printf '%s' "${text%"${text##*[![:space:]]}"}"
}
url=$(trim "${INGEST_URL:-}")
token=$(trim "${ASSET_TOKEN:-}")

if [ -z "$url" ] || [ -z "$token" ]; then
  say notice "No ingest address or no token is set (secrets INGEST_URL and ASSET_TOKEN): the report is kept as an artifact."
  exit 0
fi
if [[ ! $url =~ ^https?://[!-~]+$ ]]; then
  give_up "The report was not posted: INGEST_URL is no http or https address. It is kept as an artifact."
fi
if [[ ! $token =~ ^[!-~]+$ ]]; then
  give_up "The report was not posted: ASSET_TOKEN holds what no token has. It is kept as an artifact."
fi
url=${url%/}
url=${url%/api/codebase-report}

log=$REPORT.log
answer=$REPORT.answer
# The header comes from standard input, so that the token is in no list of processes: the shell's own printf is none.
status=$(printf 'authorization: Bearer %s\n' "$token" |
  curl --silent --show-error --globoff --proto '=http,https' --connect-timeout 15 --max-time 60 --max-filesize 1048576 \
    --retry 3 --retry-connrefused --retry-max-time 180 -H @- -H 'content-type: application/json' \
    --data-binary "@$REPORT" --output "$answer" --write-out '%{http_code}' "$url/api/codebase-report" 2> "$log")
code=$?
if [ "$code" -ne 0 ]; then
  repeat "$log"
  give_up "The report was not posted: no answer from the ingest (curl ended with $code). It is kept as an artifact."
fi
if [ -s "$answer" ]; then repeat "$answer"; fi
case $status in
  2??) ;;
  *) give_up "The report was not posted: the ingest answered $status. It is kept as an artifact." ;;
esac
output posted=1
say notice "The report was posted."
exit 0
