# Functions of the scripts in this folder that run packaged tools and tests, one line each. $package and $out must be
# set; a failure sets $status to 1.
# shellcheck shell=bash
status=0

# NAME TOOL FLAGS...: runs a tool; its output goes to log.txt.
run() {
  local name="$1" began=$SECONDS
  shift
  printf '$ %s\n' "$*" >>"$out/log.txt"
  "$package/$1" "${@:2}" >>"$out/log.txt" 2>"$name.err"
  local code=$?
  printf '%-12s exit %d  %3d s\n' "$name" "$code" "$((SECONDS - began))"
  cat "$name.err" >>"$out/log.txt"
  if [ $code -ne 0 ]; then
    tail -5 "$name.err"
    status=1
  fi
}

# PATH: runs a packaged test.
run_test() {
  if timeout 200 "$1" >test.log 2>&1; then
    printf 'test %s: %s\n' "$(basename "$1")" "$(grep -E '^\[  (PASSED|SKIPPED)' test.log | tr '\n' ' ')"
  else
    printf 'test %s FAILED\n' "$(basename "$1")"
    tail -40 test.log
    status=1
  fi
}
