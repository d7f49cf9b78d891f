// The parts of libnetcdf that the station uses.
#ifndef STATION_CNETCDF_SHIM_H
#define STATION_CNETCDF_SHIM_H

#include <dlfcn.h>
#include <netcdf.h>
#include <netcdf_mem.h>
#include <stddef.h>
#include <stdint.h>

// HDF5 prints messages about missing objects in each thread until disabled; libnetcdf disables them in the first thread only.
static inline void station_quiet_hdf5(void) {
  typedef int (*set_auto)(int64_t, void *, void *);
  static set_auto quiet;
  static int is_known;
  if (!is_known) {
    quiet = (set_auto)(intptr_t)dlsym(RTLD_DEFAULT, "H5Eset_auto2");
    is_known = 1;
  }
  if (quiet) quiet(0, NULL, NULL);
}

#endif
