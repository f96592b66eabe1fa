# A case that does not end.
# kernels: newest
# timeout: 20

echo "a last word on the console" >/dev/console
sleep 1000
