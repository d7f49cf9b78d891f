// The synthetic sample of a forecast (fixtures/forecasts) and the places that decide the time zone of a location
// (fixtures/timezones), embedded in the program.
#pragma once
#include <stddef.h>

const void *station_sample_portugal_bytes(void);
extern const size_t station_sample_portugal_size;
const void *station_sample_lisbon_bytes(void);
extern const size_t station_sample_lisbon_size;
const void *station_zone_places(void);
extern const size_t station_zone_places_size;
