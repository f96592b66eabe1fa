# A case behind all these, in which nothing is wrong.
# kernels: newest

[ "$(id -u)" = 0 ]
[ "$VM_BOOT" = 1 ]
