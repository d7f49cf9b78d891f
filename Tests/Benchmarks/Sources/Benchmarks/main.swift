// usage: Benchmarks TWIN_BY_GCC TWIN_BY_CLANG
// Prints a line for each measurement: what, how long, and the ratio to the better twin.

measureCompensation()
measureTransfers()
countAllocations()
measureManySensors()
