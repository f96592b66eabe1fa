# The storm on ten loop devices, without and with block traces, by blktrace(8) and by tracefs: the
# work is done, each trace is whole, and nothing of it is left (the state before and after is
# compared for every case).
# modules: loop
# timeout: 400

traced_storm set 10 devices=loop:10:16M fs=ext3 fill=64k
assert_has_not "traced by" "$stderr"
[ "$(session set '.configs | map(.backend)')" = '[null,"program","tracefs"]' ]
