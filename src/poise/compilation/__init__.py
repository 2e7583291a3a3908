"""How loops are compiled: where kernels are kept, how they are found again, and all at once.

Nothing is imported here, so that the command line starts without Numba.
"""
