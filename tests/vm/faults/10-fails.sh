# A case that fails.
# kernels: newest

echo before
false
echo behind
