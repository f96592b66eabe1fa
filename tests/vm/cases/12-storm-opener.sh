# Somebody opens each loop device whenever it was closed, as udev does on a desktop or server: no
# run fails with EBUSY, and what is taken down is gone.
# modules: loop
# kernels: newest

for word in '' --rude; do
	opener $word >opened &
	opener_pid=$!
	to_undo+=("kill $opener_pid 2>/dev/null || true")
	run_check "$BRUNT" run storm devices=loop:4:32M fs=ext4 fill=64k repeat=3 -n 1 --warmup 0 \
		-o "set$word" -t none -t blktrace,buffer=256k
	kill "$opener_pid"
	wait "$opener_pid"
	cat opened
	# it did stand in the way
	[ "$(sed 's/opened \([0-9]*\) locked \([0-9]*\)/\1+\2/' opened | bc)" -gt 20 ]
	all_ends "set$word" '.status == "ok"'
	run_check "$BRUNT" clean
	[ -z "$output" ]
done
