#include "sample.h"

static const unsigned char portugal[] = {
#embed "../../../../fixtures/forecasts/portugal-27km.nc"
};
static const unsigned char lisbon[] = {
#embed "../../../../fixtures/forecasts/lisbon-9km.nc"
};
static const unsigned char places[] = {
#embed "../../../../fixtures/timezones/places.txt"
};

const size_t station_sample_portugal_size = sizeof portugal;
const size_t station_sample_lisbon_size = sizeof lisbon;
const size_t station_zone_places_size = sizeof places;

const void *station_sample_portugal_bytes(void) { return portugal; }
const void *station_sample_lisbon_bytes(void) { return lisbon; }
const void *station_zone_places(void) { return places; }
