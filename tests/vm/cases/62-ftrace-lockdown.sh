# A kernel that is locked down: the tracer ftrace works where it may (integrity is case 20's), and
# where tracefs is closed it is 77 with the reason.
# kernels: newest
# lockdown: confidentiality

run_mustfail 77 "$BRUNT" run command -n 1 -o set -t none -t ftrace,events=sched -- true
assert_has "tracer ftrace cannot run here: " "$stderr"
assert_has "locked down" "$stderr"
[ ! -e set ]
run_check "$BRUNT" list tracers
assert_has "locked down" "$output"
