# A case that makes the kernel panic.
# kernels: newest

echo 1 >/proc/sys/kernel/sysrq
echo c >/proc/sysrq-trigger
