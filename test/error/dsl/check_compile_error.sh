#!/bin/sh
# check_compile_error.sh FILE COMPILER FLAGS... - the file must be refused with
# exactly one error, whose text matches the expression after "Want:" in its
# first line; "Want: nothing" must compile.
file=$1
shift
want=$(sed -n '1s/^.*Want: //p' "$file")
output=$(LC_ALL=C "$@" -fsyntax-only "$file" 2>&1)
status=$?
if [ "$want" = nothing ]; then
  [ $status -eq 0 ] && exit 0
  echo "$output"
  exit 1
fi
errors=$(echo "$output" | grep -c 'error:')
if [ $status -ne 0 ] && [ "$errors" -eq 1 ] && echo "$output" | grep -Eq "$want"; then
  echo "$output" | grep -Eq "$(basename "$file"):[0-9]+" && exit 0
  echo "the user's line is not named"
fi
echo "wanted one error that matches: $want"
echo "found $errors:"
echo "$output"
exit 1
