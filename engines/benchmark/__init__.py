"""How fast the kernels are, beside small references in C: `oddly bench kernels`."""
