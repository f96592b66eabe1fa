# A case that cannot run here.
# kernels: newest

skip "a reason"
