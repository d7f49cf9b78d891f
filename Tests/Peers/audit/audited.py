"""The drivers of the documentation's table: folder, title, chip, and findings in their code."""

# Function of read_driver.py, folder of the driver, title, chip, causes of the findings in its code.
DRIVERS = [
    ("rpi_bme280", "rpi_bme280", "RPi.bme280 0.2.4", "bme280", [
        "`load_calibration_params` reads H3 as a signed byte: `large-h3`.",
        "It never looks at im_update, the chip's id or config, and writes ctrl_meas whatever the part does: the rest.",
    ]),
    ("bme280_0_7", "bme280_0_7", "bme280 0.7", "bme280", [
        "`populate_calibration_data` corrects the sign of T2, P2 to P8 and H words of 16 bits, by loops that end one "
        "word early: T3, P9, H4, H5 and H6 stay unsigned.",
        "It writes 0xF4 = mode 3 before 0xF5, so that config is written in normal mode.",
    ]),
    ("pimoroni_bme280", "pimoroni_bme280", "pimoroni-bme280 1.0.0", "bme280", [
        "`H4Adapter` and `H5Adapter` put twelve bits together and extend the sign of sixteen.",
        "`compensate_humidity` multiplies by `var5`, the factor of H3, twice.",
        "`update_sensor` polls `measuring` right after the trigger; the set-up runs once in a life.",
    ]),
    ("bme280pi", "bme280pi", "bme280pi 1.2.1", "bme280", [
        "The calibration is read again for each reading, without a look at im_update; config is never written, and a "
        "chip of any id is read.",
    ]),
    ("adafruit", "adafruit", "adafruit-circuitpython-bme280 2.6.32, basic", "bme280", [
        "`humidity` multiplies by `var5`, the factor of H3, twice; `_read_temperature` polls `measuring` right after "
        "the trigger.",
    ]),
    ("adafruit_advanced", "adafruit", "adafruit-circuitpython-bme280 2.6.32, advanced in normal mode", "bme280", [
        "Each setter writes sleep and then normal mode again. Within a measurement only the first is kept (3.3.1), and "
        "the part stays asleep: `changing`. Seen by no user that is known; the rule is the data sheet's.",
    ]),
    ("adafruit_bme280_1", "adafruit_bme280_1", "Adafruit-BME280 1.0.1", "bme280", [
        "`read_raw_temp` waits while `measuring` is set, in normal mode, right after the set-up; neither id nor "
        "im_update is looked at.",
    ]),
    ("bme_driver", "bme_driver", "bme-driver 0.1.2", "bme280", [
        "`_read_calibration` reads 25 bytes from 0x88: H1 is 0xA0, which reads 0.",
        "`compensate_humidity` applies the factor of H3 twice. A temperature of 0x80000 is none, and the pressure "
        "then raises MissingTemperatureReading.",
        "`update` polls `measuring` right after the trigger.",
    ]),
    ("bmp280lp", "bmp280lp", "bmp280lp 0.1.6", "bme280", [
        "`bmp280_init` writes the humidity's setting to `CTRL_MEAS`: 0xF4 becomes 0x01, a forced measurement of "
        "nothing. Every value is a power-on value.",
        "H4, H5 and H6 are never extended: `twos_complement` looks at bit 15.",
    ]),
    ("cfredmond", "cfredmond", "cfredmond-bme280 0.2.0", "bme280", [
        "As bme280pi: the calibration is read with each reading, config and id never.",
    ]),
    ("greenponik", "greenponik", "greenponik-bme280 0.0.5", "bme280", [
        "`read_bme280` subtracts 3 C and adds 13 %RH. Below it works adafruit-circuitpython-bme280 2.5.4, with H3 "
        "twice and the pressure cut at 1100 hPa.",
    ]),
    ("melopero", "melopero", "melopero-bme280 0.1.0", "bme280", [
        "`update_data` in C gives `bme280_cal_meas_delay`, milliseconds in this version of Bosch's code, to a delay of "
        "microseconds: each reading is the previous one.",
        "Its read function returns 0 whatever `read` does; Bosch's doubles apply H3 twice and cut the pressure.",
    ]),
    ("qwiic", "qwiic", "sparkfun-qwiic-bme280 2.0.0", "bme280", [
        "H4 and H5 go through `unsigned_short_to_signed_short`, which looks at bit 15.",
        "`begin` writes config before it has put the part to sleep; normal mode with 0.5 ms of standby warms the part.",
    ]),
    ("xinabox", "xinabox", "xinabox-sw01 0.0.5", "bme280", [
        "H4 and H5 are extended from bit 15. 0x80000 and 0x8000 are shown as 0; for the temperature `t_fine` is then "
        "missing, and the program dies.",
        "`setup` writes config behind normal mode; id and im_update are not read.",
    ]),
    ("aiobme280", "aiobme280", "aiobme280 0.4.0", "bme280", [
        "`read_reg_h4_h5` builds H5 as 0xE5 << 4 | 0xE6 >> 4, the high byte first.",
        "The humidity of a reading is computed with the fine temperature of the one before: `changing`, `torn`.",
        "A failed read of the calibration is not looked at.",
    ]),
    ("bme280_upy", "bme280_upy", "bme280-upy 2.1.0", "bme280", [
        "`__compH_float` and `__compH_int32` go on with `a`, which is the humidity by then, in the terms of H3 and H6.",
        "Pressure is cut to 300 to 1100 hPa; ctrl_hum is written once, so that a part that lost its power measures no "
        "humidity.",
    ]),
    ("pamoja", "pamoja", "pamoja-sensors 0.2.0", "bme280", [
        "Right, with two exceptions of its own making: the pressure is cut at 1100 hPa, and ctrl_hum is written once.",
    ]),
    ("piicodev", "piicodev", "piicodev 1.11.0", "bme280", [
        "`read_compensated_data` shifts T2 by 11 before it multiplies: 6 % of the distance from T1 are lost.",
        "Neither id nor im_update is read; H4 and H5 are not extended.",
    ]),
    ("bmp_sensors", "bmp_sensors", "bmp-sensors 1.1.3, BME280", "bme280", [
        "H4 takes the high nibble of 0xE5, the humidity in 1/1024 % is divided by 1000, and the channels are switched "
        "on one by one while normal mode runs, so that the first values are power-on values. The first humidity is read "
        "between the write of ctrl_hum and the next of ctrl_meas: B21. So much at once is explained by nothing else in "
        "the catalogue.",
        "On `slow-conversion` it polls too early: B25 would be the better name than B26.",
    ]),
    ("pimoroni_bmp280", "pimoroni_bmp280", "bmp280 1.0.0", "bmp280", [
        "`setup` writes CTRL_MEAS with normal mode before CONFIG.",
    ]),
    ("bmp_280", "bmp_280", "bmp-280 0.1.2", "bmp280", [
        "`bmp280_init` writes ctrl_meas with normal mode before config; the id is never read.",
    ]),
    ("adafruit_bmp280", "adafruit_bmp280", "adafruit-circuitpython-bmp280 3.3.12", "bmp280", [
        "`_read_temperature` polls `measuring` right after the trigger.",
    ]),
    ("envirophat", "envirophat", "envirophat 1.0.1, bmp280", "bmp280", [
        "`update` reads the six bytes one by one in normal mode; x16 without a pause warms the part.",
    ]),
    ("bmp_sensors_bmp280", "bmp_sensors", "bmp-sensors 1.1.3, BMP280", "bmp280", [
        "The oversampling of the pressure is written after its first read: the first reading is a power-on value.",
    ]),
]

# The same for versions with a defect that the next version fixes.
REPAIRED = [
    ("rpi_bme280", "rpi_bme280_0_2_1", "RPi.bme280 0.2.1", "bme280"),
    ("rpi_bme280", "rpi_bme280_0_2_2", "RPi.bme280 0.2.2", "bme280"),
]
