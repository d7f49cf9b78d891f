// The files embedded in the command; the compiler reads them in their folders, so nothing is copied.
// A test compares this list with the folders.
#include "built_in.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char fixtures_calibrations_arduino_28398_yaml[] = {
#embed "../../../fixtures/calibrations/arduino-28398.yaml"
};
static const unsigned char fixtures_calibrations_bme280pi_yaml[] = {
#embed "../../../fixtures/calibrations/bme280pi.yaml"
};
static const unsigned char fixtures_calibrations_bmp_bosch_decode_yaml[] = {
#embed "../../../fixtures/calibrations/bmp-bosch-decode.yaml"
};
static const unsigned char fixtures_calibrations_bmp_driver_17_yaml[] = {
#embed "../../../fixtures/calibrations/bmp-driver-17.yaml"
};
static const unsigned char fixtures_calibrations_bmp_grovepi_yaml[] = {
#embed "../../../fixtures/calibrations/bmp-grovepi.yaml"
};
static const unsigned char fixtures_calibrations_bmp_orangepi_yaml[] = {
#embed "../../../fixtures/calibrations/bmp-orangepi.yaml"
};
static const unsigned char fixtures_calibrations_bmp_rpi_9088_yaml[] = {
#embed "../../../fixtures/calibrations/bmp-rpi-9088.yaml"
};
static const unsigned char fixtures_calibrations_bmp_rscs_yaml[] = {
#embed "../../../fixtures/calibrations/bmp-rscs.yaml"
};
static const unsigned char fixtures_calibrations_bmp_rust_996b_yaml[] = {
#embed "../../../fixtures/calibrations/bmp-rust-996b.yaml"
};
static const unsigned char fixtures_calibrations_claudiomattera_yaml[] = {
#embed "../../../fixtures/calibrations/claudiomattera.yaml"
};
static const unsigned char fixtures_calibrations_clunet_yaml[] = {
#embed "../../../fixtures/calibrations/clunet.yaml"
};
static const unsigned char fixtures_calibrations_cpp_local_yaml[] = {
#embed "../../../fixtures/calibrations/cpp-local.yaml"
};
static const unsigned char fixtures_calibrations_dump_2d6f_yaml[] = {
#embed "../../../fixtures/calibrations/dump-2d6f.yaml"
};
static const unsigned char fixtures_calibrations_elixir_1_yaml[] = {
#embed "../../../fixtures/calibrations/elixir-1.yaml"
};
static const unsigned char fixtures_calibrations_fm4dd_getbme280_yaml[] = {
#embed "../../../fixtures/calibrations/fm4dd-getbme280.yaml"
};
static const unsigned char fixtures_calibrations_go_ee6eca68_yaml[] = {
#embed "../../../fixtures/calibrations/go-ee6eca68.yaml"
};
static const unsigned char fixtures_calibrations_kkoovalsky_internet_yaml[] = {
#embed "../../../fixtures/calibrations/kkoovalsky-internet.yaml"
};
static const unsigned char fixtures_calibrations_logger_2016_yaml[] = {
#embed "../../../fixtures/calibrations/logger-2016.yaml"
};
static const unsigned char fixtures_calibrations_micropython_0471_yaml[] = {
#embed "../../../fixtures/calibrations/micropython-0471.yaml"
};
static const unsigned char fixtures_calibrations_overflow_c_yaml[] = {
#embed "../../../fixtures/calibrations/overflow-c.yaml"
};
static const unsigned char fixtures_calibrations_periph_i2c_yaml[] = {
#embed "../../../fixtures/calibrations/periph-i2c.yaml"
};
static const unsigned char fixtures_calibrations_periph_spi_yaml[] = {
#embed "../../../fixtures/calibrations/periph-spi.yaml"
};
static const unsigned char fixtures_calibrations_pms5003_payload_yaml[] = {
#embed "../../../fixtures/calibrations/pms5003-payload.yaml"
};
static const unsigned char fixtures_calibrations_rtm_sasaki_yaml[] = {
#embed "../../../fixtures/calibrations/rtm-sasaki.yaml"
};
static const unsigned char fixtures_calibrations_rust_28765_yaml[] = {
#embed "../../../fixtures/calibrations/rust-28765.yaml"
};
static const unsigned char fixtures_calibrations_saph_yaml[] = {
#embed "../../../fixtures/calibrations/saph.yaml"
};
static const unsigned char fixtures_calibrations_sparkfun_guide_yaml[] = {
#embed "../../../fixtures/calibrations/sparkfun-guide.yaml"
};
static const unsigned char fixtures_calibrations_xft_yaml[] = {
#embed "../../../fixtures/calibrations/xft.yaml"
};
static const unsigned char fixtures_new_aneroid_yml[] = {
#embed "../../../fixtures/new/aneroid.yml"
};
static const unsigned char fixtures_new_bench_yaml[] = {
#embed "../../../fixtures/new/bench.yaml"
};
static const unsigned char fixtures_new_station_py[] = {
#embed "../../../fixtures/new/station.py"
};
static const unsigned char fixtures_new_test_station_py[] = {
#embed "../../../fixtures/new/test_station.py"
};
static const unsigned char fixtures_parts_my_sensor_yaml[] = {
#embed "../../../fixtures/parts/my-sensor.yaml"
};
static const unsigned char fixtures_traces_bme280pi_i2ctrace[] = {
#embed "../../../fixtures/traces/bme280pi.i2ctrace"
};
static const unsigned char fixtures_traces_bmp_bosch_decode_i2ctrace[] = {
#embed "../../../fixtures/traces/bmp-bosch-decode.i2ctrace"
};
static const unsigned char fixtures_traces_bmp_driver_17_i2ctrace[] = {
#embed "../../../fixtures/traces/bmp-driver-17.i2ctrace"
};
static const unsigned char fixtures_traces_bmp_grovepi_i2ctrace[] = {
#embed "../../../fixtures/traces/bmp-grovepi.i2ctrace"
};
static const unsigned char fixtures_traces_bmp_orangepi_i2ctrace[] = {
#embed "../../../fixtures/traces/bmp-orangepi.i2ctrace"
};
static const unsigned char fixtures_traces_bmp_rpi_9088_i2ctrace[] = {
#embed "../../../fixtures/traces/bmp-rpi-9088.i2ctrace"
};
static const unsigned char fixtures_traces_bmp_rust_996b_i2ctrace[] = {
#embed "../../../fixtures/traces/bmp-rust-996b.i2ctrace"
};
static const unsigned char fixtures_traces_claudiomattera_i2ctrace[] = {
#embed "../../../fixtures/traces/claudiomattera.i2ctrace"
};
static const unsigned char fixtures_traces_elixir_1_i2ctrace[] = {
#embed "../../../fixtures/traces/elixir-1.i2ctrace"
};
static const unsigned char fixtures_traces_fm4dd_getbme280_i2ctrace[] = {
#embed "../../../fixtures/traces/fm4dd-getbme280.i2ctrace"
};
static const unsigned char fixtures_traces_go_ee6eca68_i2ctrace[] = {
#embed "../../../fixtures/traces/go-ee6eca68.i2ctrace"
};
static const unsigned char fixtures_traces_kkoovalsky_internet_i2ctrace[] = {
#embed "../../../fixtures/traces/kkoovalsky-internet.i2ctrace"
};
static const unsigned char fixtures_traces_logger_2016_i2ctrace[] = {
#embed "../../../fixtures/traces/logger-2016.i2ctrace"
};
static const unsigned char fixtures_traces_micropython_0471_i2ctrace[] = {
#embed "../../../fixtures/traces/micropython-0471.i2ctrace"
};
static const unsigned char fixtures_traces_periph_i2c_i2ctrace[] = {
#embed "../../../fixtures/traces/periph-i2c.i2ctrace"
};
static const unsigned char fixtures_traces_periph_spi_i2ctrace[] = {
#embed "../../../fixtures/traces/periph-spi.i2ctrace"
};
static const unsigned char fixtures_traces_pms5003_payload_i2ctrace[] = {
#embed "../../../fixtures/traces/pms5003-payload.i2ctrace"
};
static const unsigned char fixtures_traces_saph_i2ctrace[] = {
#embed "../../../fixtures/traces/saph.i2ctrace"
};
static const unsigned char fixtures_weather_five_forecasts_csv[] = {
#embed "../../../fixtures/weather/five-forecasts.csv"
};
static const unsigned char fixtures_weather_jfk_2013_csv[] = {
#embed "../../../fixtures/weather/jfk-2013.csv"
};
static const unsigned char rigs_fleet_yaml[] = {
#embed "../../../rigs/fleet.yaml"
};
static const unsigned char rigs_iss_leak_yaml[] = {
#embed "../../../rigs/iss-leak.yaml"
};
static const unsigned char rigs_iss_quiet_yaml[] = {
#embed "../../../rigs/iss-quiet.yaml"
};
static const unsigned char rigs_iss_severe_yaml[] = {
#embed "../../../rigs/iss-severe.yaml"
};
static const unsigned char rigs_many_sensors_yaml[] = {
#embed "../../../rigs/many-sensors.yaml"
};
static const unsigned char rigs_parts_ads1115_yaml[] = {
#embed "../../../rigs/parts/ads1115.yaml"
};
static const unsigned char rigs_parts_aht10_yaml[] = {
#embed "../../../rigs/parts/aht10.yaml"
};
static const unsigned char rigs_parts_aht20_yaml[] = {
#embed "../../../rigs/parts/aht20.yaml"
};
static const unsigned char rigs_parts_bh1750_yaml[] = {
#embed "../../../rigs/parts/bh1750.yaml"
};
static const unsigned char rigs_parts_dps310_yaml[] = {
#embed "../../../rigs/parts/dps310.yaml"
};
static const unsigned char rigs_parts_hdc1010_yaml[] = {
#embed "../../../rigs/parts/hdc1010.yaml"
};
static const unsigned char rigs_parts_hdc1080_yaml[] = {
#embed "../../../rigs/parts/hdc1080.yaml"
};
static const unsigned char rigs_parts_htu21d_yaml[] = {
#embed "../../../rigs/parts/htu21d.yaml"
};
static const unsigned char rigs_parts_ina219_yaml[] = {
#embed "../../../rigs/parts/ina219.yaml"
};
static const unsigned char rigs_parts_ina226_yaml[] = {
#embed "../../../rigs/parts/ina226.yaml"
};
static const unsigned char rigs_parts_lm75_yaml[] = {
#embed "../../../rigs/parts/lm75.yaml"
};
static const unsigned char rigs_parts_mcp9808_yaml[] = {
#embed "../../../rigs/parts/mcp9808.yaml"
};
static const unsigned char rigs_parts_ms5611_yaml[] = {
#embed "../../../rigs/parts/ms5611.yaml"
};
static const unsigned char rigs_parts_scd4x_yaml[] = {
#embed "../../../rigs/parts/scd4x.yaml"
};
static const unsigned char rigs_parts_sht3x_yaml[] = {
#embed "../../../rigs/parts/sht3x.yaml"
};
static const unsigned char rigs_parts_sht4x_yaml[] = {
#embed "../../../rigs/parts/sht4x.yaml"
};
static const unsigned char rigs_parts_si7021_yaml[] = {
#embed "../../../rigs/parts/si7021.yaml"
};
static const unsigned char rigs_parts_tmp102_yaml[] = {
#embed "../../../rigs/parts/tmp102.yaml"
};
static const unsigned char rigs_parts_tmp117_yaml[] = {
#embed "../../../rigs/parts/tmp117.yaml"
};
static const unsigned char rigs_stormy_week_yaml[] = {
#embed "../../../rigs/stormy-week.yaml"
};
static const unsigned char rigs_thesis_automat_yaml[] = {
#embed "../../../rigs/thesis-automat.yaml"
};
static const unsigned char rigs_thesis_bug_yaml[] = {
#embed "../../../rigs/thesis-bug.yaml"
};
static const unsigned char rigs_thesis_jacket_reduced_yaml[] = {
#embed "../../../rigs/thesis-jacket-reduced.yaml"
};
static const unsigned char rigs_thesis_jacket_yaml[] = {
#embed "../../../rigs/thesis-jacket.yaml"
};
static const unsigned char rigs_thesis_tables_yaml[] = {
#embed "../../../rigs/thesis-tables.yaml"
};
static const unsigned char rigs_thesis_yaml[] = {
#embed "../../../rigs/thesis.yaml"
};
static const unsigned char rigs_warehouse_shelf_yaml[] = {
#embed "../../../rigs/warehouse-shelf.yaml"
};
static const unsigned char rigs_weather_station_yaml[] = {
#embed "../../../rigs/weather-station.yaml"
};

static const struct built_in_file files[] = {
    {"fixtures/calibrations/arduino-28398.yaml", fixtures_calibrations_arduino_28398_yaml, sizeof(fixtures_calibrations_arduino_28398_yaml)},
    {"fixtures/calibrations/bme280pi.yaml", fixtures_calibrations_bme280pi_yaml, sizeof(fixtures_calibrations_bme280pi_yaml)},
    {"fixtures/calibrations/bmp-bosch-decode.yaml", fixtures_calibrations_bmp_bosch_decode_yaml, sizeof(fixtures_calibrations_bmp_bosch_decode_yaml)},
    {"fixtures/calibrations/bmp-driver-17.yaml", fixtures_calibrations_bmp_driver_17_yaml, sizeof(fixtures_calibrations_bmp_driver_17_yaml)},
    {"fixtures/calibrations/bmp-grovepi.yaml", fixtures_calibrations_bmp_grovepi_yaml, sizeof(fixtures_calibrations_bmp_grovepi_yaml)},
    {"fixtures/calibrations/bmp-orangepi.yaml", fixtures_calibrations_bmp_orangepi_yaml, sizeof(fixtures_calibrations_bmp_orangepi_yaml)},
    {"fixtures/calibrations/bmp-rpi-9088.yaml", fixtures_calibrations_bmp_rpi_9088_yaml, sizeof(fixtures_calibrations_bmp_rpi_9088_yaml)},
    {"fixtures/calibrations/bmp-rscs.yaml", fixtures_calibrations_bmp_rscs_yaml, sizeof(fixtures_calibrations_bmp_rscs_yaml)},
    {"fixtures/calibrations/bmp-rust-996b.yaml", fixtures_calibrations_bmp_rust_996b_yaml, sizeof(fixtures_calibrations_bmp_rust_996b_yaml)},
    {"fixtures/calibrations/claudiomattera.yaml", fixtures_calibrations_claudiomattera_yaml, sizeof(fixtures_calibrations_claudiomattera_yaml)},
    {"fixtures/calibrations/clunet.yaml", fixtures_calibrations_clunet_yaml, sizeof(fixtures_calibrations_clunet_yaml)},
    {"fixtures/calibrations/cpp-local.yaml", fixtures_calibrations_cpp_local_yaml, sizeof(fixtures_calibrations_cpp_local_yaml)},
    {"fixtures/calibrations/dump-2d6f.yaml", fixtures_calibrations_dump_2d6f_yaml, sizeof(fixtures_calibrations_dump_2d6f_yaml)},
    {"fixtures/calibrations/elixir-1.yaml", fixtures_calibrations_elixir_1_yaml, sizeof(fixtures_calibrations_elixir_1_yaml)},
    {"fixtures/calibrations/fm4dd-getbme280.yaml", fixtures_calibrations_fm4dd_getbme280_yaml, sizeof(fixtures_calibrations_fm4dd_getbme280_yaml)},
    {"fixtures/calibrations/go-ee6eca68.yaml", fixtures_calibrations_go_ee6eca68_yaml, sizeof(fixtures_calibrations_go_ee6eca68_yaml)},
    {"fixtures/calibrations/kkoovalsky-internet.yaml", fixtures_calibrations_kkoovalsky_internet_yaml, sizeof(fixtures_calibrations_kkoovalsky_internet_yaml)},
    {"fixtures/calibrations/logger-2016.yaml", fixtures_calibrations_logger_2016_yaml, sizeof(fixtures_calibrations_logger_2016_yaml)},
    {"fixtures/calibrations/micropython-0471.yaml", fixtures_calibrations_micropython_0471_yaml, sizeof(fixtures_calibrations_micropython_0471_yaml)},
    {"fixtures/calibrations/overflow-c.yaml", fixtures_calibrations_overflow_c_yaml, sizeof(fixtures_calibrations_overflow_c_yaml)},
    {"fixtures/calibrations/periph-i2c.yaml", fixtures_calibrations_periph_i2c_yaml, sizeof(fixtures_calibrations_periph_i2c_yaml)},
    {"fixtures/calibrations/periph-spi.yaml", fixtures_calibrations_periph_spi_yaml, sizeof(fixtures_calibrations_periph_spi_yaml)},
    {"fixtures/calibrations/pms5003-payload.yaml", fixtures_calibrations_pms5003_payload_yaml, sizeof(fixtures_calibrations_pms5003_payload_yaml)},
    {"fixtures/calibrations/rtm-sasaki.yaml", fixtures_calibrations_rtm_sasaki_yaml, sizeof(fixtures_calibrations_rtm_sasaki_yaml)},
    {"fixtures/calibrations/rust-28765.yaml", fixtures_calibrations_rust_28765_yaml, sizeof(fixtures_calibrations_rust_28765_yaml)},
    {"fixtures/calibrations/saph.yaml", fixtures_calibrations_saph_yaml, sizeof(fixtures_calibrations_saph_yaml)},
    {"fixtures/calibrations/sparkfun-guide.yaml", fixtures_calibrations_sparkfun_guide_yaml, sizeof(fixtures_calibrations_sparkfun_guide_yaml)},
    {"fixtures/calibrations/xft.yaml", fixtures_calibrations_xft_yaml, sizeof(fixtures_calibrations_xft_yaml)},
    {"fixtures/new/aneroid.yml", fixtures_new_aneroid_yml, sizeof(fixtures_new_aneroid_yml)},
    {"fixtures/new/bench.yaml", fixtures_new_bench_yaml, sizeof(fixtures_new_bench_yaml)},
    {"fixtures/new/station.py", fixtures_new_station_py, sizeof(fixtures_new_station_py)},
    {"fixtures/new/test_station.py", fixtures_new_test_station_py, sizeof(fixtures_new_test_station_py)},
    {"fixtures/parts/my-sensor.yaml", fixtures_parts_my_sensor_yaml, sizeof(fixtures_parts_my_sensor_yaml)},
    {"fixtures/traces/bme280pi.i2ctrace", fixtures_traces_bme280pi_i2ctrace, sizeof(fixtures_traces_bme280pi_i2ctrace)},
    {"fixtures/traces/bmp-bosch-decode.i2ctrace", fixtures_traces_bmp_bosch_decode_i2ctrace, sizeof(fixtures_traces_bmp_bosch_decode_i2ctrace)},
    {"fixtures/traces/bmp-driver-17.i2ctrace", fixtures_traces_bmp_driver_17_i2ctrace, sizeof(fixtures_traces_bmp_driver_17_i2ctrace)},
    {"fixtures/traces/bmp-grovepi.i2ctrace", fixtures_traces_bmp_grovepi_i2ctrace, sizeof(fixtures_traces_bmp_grovepi_i2ctrace)},
    {"fixtures/traces/bmp-orangepi.i2ctrace", fixtures_traces_bmp_orangepi_i2ctrace, sizeof(fixtures_traces_bmp_orangepi_i2ctrace)},
    {"fixtures/traces/bmp-rpi-9088.i2ctrace", fixtures_traces_bmp_rpi_9088_i2ctrace, sizeof(fixtures_traces_bmp_rpi_9088_i2ctrace)},
    {"fixtures/traces/bmp-rust-996b.i2ctrace", fixtures_traces_bmp_rust_996b_i2ctrace, sizeof(fixtures_traces_bmp_rust_996b_i2ctrace)},
    {"fixtures/traces/claudiomattera.i2ctrace", fixtures_traces_claudiomattera_i2ctrace, sizeof(fixtures_traces_claudiomattera_i2ctrace)},
    {"fixtures/traces/elixir-1.i2ctrace", fixtures_traces_elixir_1_i2ctrace, sizeof(fixtures_traces_elixir_1_i2ctrace)},
    {"fixtures/traces/fm4dd-getbme280.i2ctrace", fixtures_traces_fm4dd_getbme280_i2ctrace, sizeof(fixtures_traces_fm4dd_getbme280_i2ctrace)},
    {"fixtures/traces/go-ee6eca68.i2ctrace", fixtures_traces_go_ee6eca68_i2ctrace, sizeof(fixtures_traces_go_ee6eca68_i2ctrace)},
    {"fixtures/traces/kkoovalsky-internet.i2ctrace", fixtures_traces_kkoovalsky_internet_i2ctrace, sizeof(fixtures_traces_kkoovalsky_internet_i2ctrace)},
    {"fixtures/traces/logger-2016.i2ctrace", fixtures_traces_logger_2016_i2ctrace, sizeof(fixtures_traces_logger_2016_i2ctrace)},
    {"fixtures/traces/micropython-0471.i2ctrace", fixtures_traces_micropython_0471_i2ctrace, sizeof(fixtures_traces_micropython_0471_i2ctrace)},
    {"fixtures/traces/periph-i2c.i2ctrace", fixtures_traces_periph_i2c_i2ctrace, sizeof(fixtures_traces_periph_i2c_i2ctrace)},
    {"fixtures/traces/periph-spi.i2ctrace", fixtures_traces_periph_spi_i2ctrace, sizeof(fixtures_traces_periph_spi_i2ctrace)},
    {"fixtures/traces/pms5003-payload.i2ctrace", fixtures_traces_pms5003_payload_i2ctrace, sizeof(fixtures_traces_pms5003_payload_i2ctrace)},
    {"fixtures/traces/saph.i2ctrace", fixtures_traces_saph_i2ctrace, sizeof(fixtures_traces_saph_i2ctrace)},
    {"fixtures/weather/five-forecasts.csv", fixtures_weather_five_forecasts_csv, sizeof(fixtures_weather_five_forecasts_csv)},
    {"fixtures/weather/jfk-2013.csv", fixtures_weather_jfk_2013_csv, sizeof(fixtures_weather_jfk_2013_csv)},
    {"rigs/fleet.yaml", rigs_fleet_yaml, sizeof(rigs_fleet_yaml)},
    {"rigs/iss-leak.yaml", rigs_iss_leak_yaml, sizeof(rigs_iss_leak_yaml)},
    {"rigs/iss-quiet.yaml", rigs_iss_quiet_yaml, sizeof(rigs_iss_quiet_yaml)},
    {"rigs/iss-severe.yaml", rigs_iss_severe_yaml, sizeof(rigs_iss_severe_yaml)},
    {"rigs/many-sensors.yaml", rigs_many_sensors_yaml, sizeof(rigs_many_sensors_yaml)},
    {"rigs/parts/ads1115.yaml", rigs_parts_ads1115_yaml, sizeof(rigs_parts_ads1115_yaml)},
    {"rigs/parts/aht10.yaml", rigs_parts_aht10_yaml, sizeof(rigs_parts_aht10_yaml)},
    {"rigs/parts/aht20.yaml", rigs_parts_aht20_yaml, sizeof(rigs_parts_aht20_yaml)},
    {"rigs/parts/bh1750.yaml", rigs_parts_bh1750_yaml, sizeof(rigs_parts_bh1750_yaml)},
    {"rigs/parts/dps310.yaml", rigs_parts_dps310_yaml, sizeof(rigs_parts_dps310_yaml)},
    {"rigs/parts/hdc1010.yaml", rigs_parts_hdc1010_yaml, sizeof(rigs_parts_hdc1010_yaml)},
    {"rigs/parts/hdc1080.yaml", rigs_parts_hdc1080_yaml, sizeof(rigs_parts_hdc1080_yaml)},
    {"rigs/parts/htu21d.yaml", rigs_parts_htu21d_yaml, sizeof(rigs_parts_htu21d_yaml)},
    {"rigs/parts/ina219.yaml", rigs_parts_ina219_yaml, sizeof(rigs_parts_ina219_yaml)},
    {"rigs/parts/ina226.yaml", rigs_parts_ina226_yaml, sizeof(rigs_parts_ina226_yaml)},
    {"rigs/parts/lm75.yaml", rigs_parts_lm75_yaml, sizeof(rigs_parts_lm75_yaml)},
    {"rigs/parts/mcp9808.yaml", rigs_parts_mcp9808_yaml, sizeof(rigs_parts_mcp9808_yaml)},
    {"rigs/parts/ms5611.yaml", rigs_parts_ms5611_yaml, sizeof(rigs_parts_ms5611_yaml)},
    {"rigs/parts/scd4x.yaml", rigs_parts_scd4x_yaml, sizeof(rigs_parts_scd4x_yaml)},
    {"rigs/parts/sht3x.yaml", rigs_parts_sht3x_yaml, sizeof(rigs_parts_sht3x_yaml)},
    {"rigs/parts/sht4x.yaml", rigs_parts_sht4x_yaml, sizeof(rigs_parts_sht4x_yaml)},
    {"rigs/parts/si7021.yaml", rigs_parts_si7021_yaml, sizeof(rigs_parts_si7021_yaml)},
    {"rigs/parts/tmp102.yaml", rigs_parts_tmp102_yaml, sizeof(rigs_parts_tmp102_yaml)},
    {"rigs/parts/tmp117.yaml", rigs_parts_tmp117_yaml, sizeof(rigs_parts_tmp117_yaml)},
    {"rigs/stormy-week.yaml", rigs_stormy_week_yaml, sizeof(rigs_stormy_week_yaml)},
    {"rigs/thesis-automat.yaml", rigs_thesis_automat_yaml, sizeof(rigs_thesis_automat_yaml)},
    {"rigs/thesis-bug.yaml", rigs_thesis_bug_yaml, sizeof(rigs_thesis_bug_yaml)},
    {"rigs/thesis-jacket-reduced.yaml", rigs_thesis_jacket_reduced_yaml, sizeof(rigs_thesis_jacket_reduced_yaml)},
    {"rigs/thesis-jacket.yaml", rigs_thesis_jacket_yaml, sizeof(rigs_thesis_jacket_yaml)},
    {"rigs/thesis-tables.yaml", rigs_thesis_tables_yaml, sizeof(rigs_thesis_tables_yaml)},
    {"rigs/thesis.yaml", rigs_thesis_yaml, sizeof(rigs_thesis_yaml)},
    {"rigs/warehouse-shelf.yaml", rigs_warehouse_shelf_yaml, sizeof(rigs_warehouse_shelf_yaml)},
    {"rigs/weather-station.yaml", rigs_weather_station_yaml, sizeof(rigs_weather_station_yaml)},
};

size_t built_in_file_count(void) { return sizeof(files) / sizeof(files[0]); }

const struct built_in_file *built_in_file_at(size_t index) { return &files[index]; }
