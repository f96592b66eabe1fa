# A case that leaves something behind.
# kernels: newest

touch /dev/shm/left-behind
