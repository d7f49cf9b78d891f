// The synthetic sample of a forecast (fixtures/forecasts), embedded in the program.
#pragma once
#include <stddef.h>

const void *station_sample_portugal_bytes(void);
extern const size_t station_sample_portugal_size;
const void *station_sample_lisbon_bytes(void);
extern const size_t station_sample_lisbon_size;
