extension DefectClass {
  /// The classes that were found in public drivers after the first 38 classes, in order of discovery.
  package static let later = [
    DefectClass(
      "B38",
      "the humidity's unit mixed up: 1/1024 %RH divided by 1000, or shown ten times too small",
      symptom: "humidity 2.4 % too high (102.4 in saturated air), or a tenth of it",
      fix: "the whole-number formula gives 1/1024 %RH", datasheet: "4.2.3",
      evidence: "maciej/bme280; google/periph 256; BME280_SensorAPI 36, 40"),
    DefectClass(
      "B39", "a wrong constant in the pressure formula",
      symptom: "pressure off by some hPa, changing with the temperature",
      fix: "compare each constant with the data sheet's: 524288, 4096, 128000",
      datasheet: "8.1; 4.2.3",
      evidence:
        "sparkfun/pxt-weather-bit PR 18 (12800); 534288 in copies for MicroPython and C, 4086 in one, without a report"
    ),
    DefectClass(
      "B40", "a term shifted before it is multiplied, or in the wrong direction",
      symptom: "temperature off by degrees; pressure falls as the part grows warm",
      hiddenBy: "for the wrong direction: temperatures near 25 C",
      fix: "multiply first, shift the product; the term of P2 is shifted up", datasheet: "4.2.3",
      evidence:
        "catdog2/mpy_bme280_esp8266 PR 3; RuiSantosdotme/ESP-MicroPython 4; T2 >> 11: catdog2/mpy_bme280_esp8266 until 5853e90, piicodev 1.11.0 (PyPI)"
    ),
    DefectClass(
      "B41", "the four lowest bits of a raw value from another byte, or not shifted into position",
      symptom: "noise that grows with the oversampling; values off by some 0.01 C and Pa",
      hiddenBy: "16 bits of resolution: oversampling x1 without the filter",
      fix: "raw = msb << 12 | lsb << 4 | xlsb >> 4, each from its own three bytes",
      datasheet: "5.4.7; 5.4.8",
      evidence:
        "BME280_SensorAPI 21, 24; utkumaden/esp-idf-bmx280 until 93e4786 (PR 9): from the first byte"
    ),
    DefectClass(
      "B42", "H4 and H5 masked out of 0xE5 with OR instead of AND",
      symptom: "humidity off by up to 10 %RH", hiddenBy: "parts whose nibble of 0xE5 is 0xF",
      fix: "H4 = 0xE4 << 4 | 0xE5 & 0x0F; H5 = 0xE6 << 4 | 0xE5 >> 4", datasheet: "4.2.2, table 16",
      evidence:
        "no report is known: a public port in a script, measured in November 2026, and own mutants"),
    DefectClass(
      "B43", "H5 assembled in eight bits, so that its high bits are lost",
      symptom: "humidity off away from 25 C", hiddenBy: "parts whose 0xE6 is below 0x10",
      fix: "widen the byte before it is shifted", datasheet: "4.2.2",
      evidence:
        "no report is known: a public port with eight-bit arithmetic, measured in November 2026, and own mutants"
    ),
    DefectClass(
      "B44", "the fields of config shifted into each other",
      symptom: "filter and standby time are not those requested; 3-wire SPI switched on",
      hiddenBy: "settings of 0",
      fix: "config = t_sb << 5 | filter << 2 | spi3w_en", datasheet: "5.4.6",
      evidence: "Adafruit_BME280_Library 28, PR 39; Adafruit_BMP280_Library PR 19; SparkFun 28"),
    DefectClass(
      "B45", "a setting written to another register than its own",
      symptom: "the humidity stays at its power-on value (70 to 91 %RH)",
      fix: "ctrl_hum is 0xF2, ctrl_meas 0xF4, config 0xF5", datasheet: "5.4.3 to 5.4.6",
      evidence: "bmp280lp 0.1.6 (PyPI): the humidity's setting written to 0xF4"),
    DefectClass(
      "B46", "the oversampling of temperature and pressure exchanged",
      symptom: "pressure noisier than it could be", hiddenBy: "equal settings",
      fix: "ctrl_meas = osrs_t << 5 | osrs_p << 2 | mode", datasheet: "5.4.5",
      evidence: "dafvid/micropython-bmp280 8; Zanduino/BME680 15"),
    DefectClass(
      "B47", "the filter that an earlier program switched on is left on",
      symptom: "values that follow the air too slowly, from an old one on",
      hiddenBy: "parts that come from power-on",
      fix: "reset the part, or write config (0xF5), before the first measurement",
      datasheet: "5.4.6",
      evidence: "RPi.bme280 0.2.4, bme280pi 1.2.1, cfredmond-bme280 0.2.0 (PyPI)"),
    DefectClass(
      "B48", "a value at its limit treated as an error",
      symptom: "no humidity in dry or saturated air",
      hiddenBy: "all other air", fix: "0 and 100 %RH are results; errors come from the bus",
      evidence:
        "no driver with a public report is known; requested in ruuvi/ruuvitag_fw 157 and robert-hh/BME280 9; own mutants"
    ),
    DefectClass(
      "B49", "a constant correction built into the driver",
      symptom: "one quantity off by the same amount everywhere",
      fix: "leave corrections to the user; the data sheet's formula needs none",
      evidence: "greenponik-bme280 0.0.5 (PyPI): temperature - 3 C, humidity + 13 %RH"),
    DefectClass(
      "B50", "each reading shows the previous measurement",
      symptom: "a change of the air is shown one reading late", hiddenBy: "steady air",
      fix: "trigger, wait, then read: in this order", datasheet: "3.3.3",
      evidence: "finitespace/BME280 59; Forced-BME280 12"),
    DefectClass(
      "B51", "the factor of H3 applied twice to the humidity, as Bosch's own code in doubles does",
      symptom: "humidity off by tens of %RH, growing away from 25 C",
      hiddenBy: "parts with H3 = 0: all that are known",
      fix: "the factor of H3 belongs to the term of H6 alone", datasheet: "8.1",
      evidence:
        "BoschSensortec/BME280_SensorAPI c781f01 (compensate_humidity in doubles) and its ports in adafruit-circuitpython-bme280 2.6.32, pimoroni-bme280 1.0.0, bme-driver 0.1.2"
    ),
    DefectClass(
      "B52", "a variable of the humidity formula overwritten before its last use",
      symptom: "humidity off by some tenths of %RH near 20 C, by up to 8 %RH in frost",
      hiddenBy: "H6 = 0 and H3 = 0",
      fix: "keep the fine temperature less 76800: the terms of H3, H5 and H6 all take it",
      datasheet: "4.2.3",
      evidence:
        "bme280-upy 2.1.0 (PyPI), in both of its formulas; its own tests hold 45.17 %RH for right where it is 46.3"
    ),
    DefectClass(
      "B53", "the temperature in F shown as C",
      symptom: "70 C indoors", hiddenBy: "nothing but -40 degrees",
      fix: "show the unit that the number has; the data sheet's formula gives C",
      evidence: "own mutants only; no public driver is known"),
    DefectClass(
      "B54", "a moving average shown for the reading",
      symptom: "a change of the air is shown gradually, over several readings",
      hiddenBy: "steady air",
      fix: "leave the averaging to the user, or use the part's own filter and say so",
      datasheet: "3.4.4", evidence: "own mutants only; no public driver is known"),
    DefectClass(
      "B55", "the part measures so often that it warms itself",
      symptom: "temperature too high by some tenths to some degrees, humidity too low",
      hiddenBy: "moving air, and a part that is cooled by its board",
      fix: "forced mode, or a longer standby: measure as seldom as the use allows",
      datasheet: "3.3.4; 3.5",
      evidence:
        "bme280 0.7, melopero-bme280 0.1.0, xinabox-sw01 0.0.5 (PyPI), on the bench self-heating"),
    DefectClass(
      "B56", "the id of the part is not checked",
      symptom: "meaningless values of another chip",
      hiddenBy: "the right part at its address",
      fix: "read the id (0xD0 of a BME280) and reject unknown chips", datasheet: "5.4.1",
      evidence:
        "RPi.bme280 0.2.4, bme280 0.7, bme280pi 1.2.1, aiobme280 0.4.0, piicodev 1.11.0 (PyPI), on the bench wrong-chip"
    ),
    DefectClass(
      "B57", "values computed before the calibration has arrived",
      symptom: "first values of 0 C and 0 hPa, or one reading of an average that is 0",
      hiddenBy: "a bus that responds before the program continues",
      fix: "wait for the responses instead of a fixed second before computing values",
      datasheet: "4.2.2",
      evidence:
        "the published app of the thesis, which sleeps a second for its handlers and then continues; see WhyTheThesisRead1789hPa"
    ),
    DefectClass(
      "B58", "the words of one block taken from the response to another request",
      symptom: "one quantity wrong by any amount from the start, and correct after the next start",
      fix: "match each response to its request; check its length and its first register",
      datasheet: "4.2.2",
      evidence:
        "possible in the published app of the thesis, whose requests do not wait for each other's replies; own mutants"
    ),
    DefectClass(
      "B59", "a mean divided by the number of readings requested instead of received",
      symptom:
        "values of 1/5, 2/5, ... of the correct value until all readings have arrived, or after one is lost",
      hiddenBy: "averages without lost readings",
      fix: "divide by the number of values that were added",
      evidence:
        "the published app of the thesis averages four or five values, as the last answer is still on its way; own mutants divide by five"
    ),
  ]
}

extension DefectClass {
  /// The class of defects that the signedness of `char` decides.
  static let signedBytes = DefectClass(
    "B70", "the bytes of a result kept as signed, for example in a char on x86",
    symptom:
      "values off by multiples of 256 raw units: -141 C, 763 hPa, 0 %RH; right on a Raspberry Pi",
    hiddenBy: "ARM, where char is unsigned, and bytes below 0x80",
    fix: "keep bytes in uint8_t; gcc -funsigned-char shows whether that is all",
    evidence: "own mutants; of another part: sparkfun/BMP180_Breakout 1")

  /// The class of defects in the choice of the filter for the interval of the readings.
  static let slowFilter = DefectClass(
    "B71",
    "a filter that follows the air only after minutes, because each reading is one measurement",
    symptom:
      "temperature and pressure far behind the air: a filter of 16 and a reading each minute need 22 minutes",
    hiddenBy: "constant air, and readings each second",
    fix: "measure in normal mode, or switch the filter off in forced mode", datasheet: "3.4.4",
    evidence: "own mutants only; no public driver is known")

  /// The class of defects by which the codes of one part meet the words of another.
  static let otherCalibration = DefectClass(
    "B72", "the calibration of another part: kept from before, stored, or written into the program",
    symptom: "plausible values that are off by some C, tens of hPa and some %RH",
    hiddenBy: "a bench with one part",
    fix: "read the calibration again each time the sensor is set up, also after a failure",
    evidence: "own mutants only; no public driver is known")
}

extension DefectClass {
  /// The classes of defects in drivers of any part, which `aneroid audit --part` names from the situation and the values.
  package static let parts = [
    DefectClass(
      "P01", "the result read before its conversion had ended",
      symptom: "the value of before, or that after power-on: 0, -45 or 125 C",
      hiddenBy: "parts that convert in the typical time, and slow buses",
      fix: "wait for the longest time of the data sheet, or poll the busy bit",
      evidence:
        "Adafruit_CircuitPython_ADS1x15 11, 55; Adafruit_Python_ADS1x15 12; ClosedCube_HDC1080_Arduino 11, 13; claws/BH1750 17; "
        + "zephyr 80652"),
    DefectClass(
      "P02", "the result of another channel",
      symptom: "each input shows the value of the one before", hiddenBy: "inputs with equal values",
      fix: "wait for a whole conversion after the channel has changed; in continuous mode two",
      evidence:
        "Adafruit_ADS1X15 PR 46, 62; Adafruit_CircuitPython_ADS1x15 55; Wollewald/ADS1115_WE 30, 31"
    ),
    DefectClass(
      "P03", "the sign of a code: two's complement taken for unsigned, or extended wrongly",
      symptom: "244 or 12 C for -12 C, 6393 mA for -160 mA", hiddenBy: "values above 0",
      fix: "sign-extend the code from its own width before it is scaled",
      evidence:
        "Adafruit_CircuitPython_MCP9808 4; periph 403; esphome/issues 5189, esphome PR 6320 (its first fix); "
        + "UncleRus/esp-idf-lib 709; Adafruit_SHT31 24; thefekete/LM75 6; Adafruit_INA219 2; RobTillaart/INA226 7; "
        + "periph/devices PR 54; openenergymonitor/emonth2 PR 28"),
    DefectClass(
      "P04", "the width, position or step of a code",
      symptom: "values that are wrong by a constant factor",
      fix: "compare mask, shift and step with the data sheet, for each mode",
      evidence:
        "Adafruit_CircuitPython_INA219 10; libdriver/ina219 10; esphome/issues 116, 393; TI_INA226_micropython 2; "
        + "claws/BH1750 49; esphome PR 2536; tinygo drivers PR 413; RobTillaart/INA226 53"),
    DefectClass(
      "P05", "settings that a loss of the supply has reset are not written again",
      symptom: "0 mA, the power-on value or no value for ever after a short interruption",
      hiddenBy: "a supply that never fails",
      fix: "after a failure, or before each measurement, write the settings again",
      evidence:
        "RobTillaart/INA226 23; Adafruit_INA219 24; ESPEasy PR 2234; UncleRus/esp-idf-lib 81"),
    DefectClass(
      "P06", "the checksum not checked", symptom: "occasionally a value that is far off",
      hiddenBy: "undisturbed buses", fix: "compare the CRC of each word, and reject the reading",
      evidence: "tinygo drivers PR 895; micropython-sht31 PR 2"),
    DefectClass(
      "P07", "a failed transfer displayed as a value",
      symptom: "the last value, or one of uninitialised memory, although the part does not answer",
      fix: "check the result of each transfer",
      evidence:
        "RobTillaart/MS5611 0.4.2 and Adafruit_ADS1X15 1.1.0, without a report, measured in November 2026"
    ),
    DefectClass(
      "P08", "the decimals printed without their leading zeros", symptom: "20.6 for 20.06",
      hiddenBy: "decimals above 0.1", fix: "print the fraction with a fixed number of digits",
      evidence: "no report is known for these parts; own readers"),
    DefectClass(
      "P09", "a part that is taken to be as after power-on",
      symptom: "no values, or errors, after the program was started a second time",
      hiddenBy: "parts whose supply fails with that of the program",
      fix: "stop what the part may be doing before it is reset or set up",
      evidence:
        "libdriver/sht35 PR 8; SuperHouse/esp-open-rtos PR 525; Sensirion/arduino-i2c-scd30 5; Adafruit_SCD30 9"
    ),
  ]
}
