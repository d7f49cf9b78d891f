// What the station reads of libnetcdf.
#include <netcdf.h>
#include <netcdf_mem.h>
