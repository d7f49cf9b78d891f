extension DefectClass {
  /// The classes of defects in reading and assembling the calibration.
  package static let calibration = [
    DefectClass(
      "B01", "the nibbles of H5 in the wrong order, or not shifted",
      symptom: "humidity off by up to 10 %RH, growing away from 25 C",
      hiddenBy: "parts with H5 = 0 (9 of 31 known)",
      fix: "H5 = 0xE6 << 4 | 0xE5 >> 4, sign-extended from 12 bits", datasheet: "4.2.2, table 16",
      evidence:
        "quhar/bme280 PR 4; Adafruit_CircuitPython_BME280 issue 17, PR 18; rm-hull/bme280 issues 2 and 11; maruel/dlibox issue 2; aiobme280 0.4.0"
    ),
    DefectClass(
      "B02", "the nibbles of H4 and H5 in 0xE5 exchanged",
      symptom: "humidity off by 2 to 3 %RH", hiddenBy: "parts whose two nibbles are equal",
      fix: "H4 uses 0xE5[3:0], H5 uses 0xE5[7:4]", datasheet: "4.2.2, table 16",
      evidence: "elixir-sensors/bmp280 test/bmp280/calibration_test.exs"),
    DefectClass(
      "B03", "H4 and H5 not sign-extended from 12 bits", symptom: "humidity at 0 or 100 %RH",
      hiddenBy: "every known part: their H4 and H5 are positive",
      fix: "extend the sign of the byte 0xE4 or 0xE6 before the shift", datasheet: "4.2.2",
      evidence: "zephyr issue 112381, PR 113316; esphome/issues 6174; finitespace/BME280 PR 103"),
    DefectClass(
      "B04", "the humidity block read one register late: H5 from 0xE6 and 0xE7, H6 from 0xE8",
      symptom: "humidity wrong by tens of %RH", fix: "H5 lies in 0xE5 and 0xE6, H6 in 0xE7",
      datasheet: "4.2.2, table 16", evidence: "raspberrypi/pico-examples 480"),
    DefectClass(
      "B05", "H1 read from 0xA0 or 0x9F: 24 bytes read instead of 26",
      symptom: "humidity too high, increasingly in humid air",
      fix: "H1 lies at 0xA1; 0xA0 is not used",
      datasheet: "4.2.2, table 16",
      evidence:
        "raspberrypi/pico-examples 111; the constants sagan and microbit; BME280_SensorAPI 56; bme-driver 0.1.2; "
        + "utkumaden/esp-idf-bmx280 93e4786 (0x9F, the high byte of P9)"
    ),
    DefectClass(
      "B06", "words with the wrong sign, or a sign-extended low byte over the high one",
      symptom:
        "pressure or temperature absurd; with a signed low byte only where that byte is 0x80 or more",
      hiddenBy: "signed low byte: parts whose low bytes are below 0x80",
      fix:
        "T1 and P1 are unsigned, all other words of two bytes are signed; combine bytes as unsigned, then "
        + "take the sign", datasheet: "4.2.2, table 16",
      evidence:
        "sparkfun/qwiic_bme280_py PR 3; Linux 81ebe850a019; rm-hull/bme280 2; bme280 0.7; H3 in RPi.bme280 0.2.4; the thesis's published code"
    ),
    DefectClass(
      "B07", "words with the high byte first, or raw values with the low byte first",
      symptom: "everything absurd",
      fix: "calibration: low byte first; data registers: high byte first",
      datasheet: "4.2.2; 4", evidence: "BME280_SensorAPI 15; google/cyanobyte PR 246"),
    DefectClass(
      "B08", "only the low byte of each word", symptom: "everything absurd",
      fix: "read two bytes for each word", datasheet: "4.2.2",
      evidence: "Johannes4Linux/Linux_Driver_Tutorial_legacy 9"),
    DefectClass(
      "B09", "calibration read before the NVM has been copied",
      symptom:
        "temperature and pressure absurd until the program is restarted, 0 or 0xFF in the calibration",
      hiddenBy: "parts that copy faster than the bus reads",
      fix: "after power-on or reset wait 2 ms, then until im_update (status bit 0) is 0",
      datasheet: "1.1; 5.4.4",
      evidence:
        "BMP280_driver PR 18, PR 28; BME280_SensorAPI 38, 59; esphome PR 3615; zephyr 37231; "
        + "micropython-bmp280 PR 5; Bosch forum hetres_123"),
    DefectClass(
      "B10", "the block of the calibration begins at a wrong register",
      symptom: "pressure absurd with a correct temperature, or everything absurd",
      fix: "T1 begins at 0x88, P1 at 0x8E, H2 at 0xE1; write the register before the read",
      datasheet: "4.2.2, table 16",
      evidence: "raspberrypi/pico-examples 186; the thesis's published code (0x8D)"),
  ]
}

extension DefectClass {
  /// The classes of defects in computing the values.
  package static let arithmetic = [
    DefectClass(
      "B11", "unsigned temporaries in the temperature formula",
      symptom: "temperature jumps by tens of C",
      hiddenBy: "temperatures above that of T1, where T3 is positive",
      fix: "the raw value and all temporaries are signed 32-bit numbers", datasheet: "4.2.3",
      evidence:
        "BMP280_driver 17, 19; andreiva/raspberry-pi-bme280 4; tock PR 3112; Linux ed3730c435f1"),
    DefectClass(
      "B12", "humidity not limited to 0 to 100 %RH",
      symptom: "thousands of %RH in dry air, or above 100",
      hiddenBy: "air that is neither dry nor saturated", fix: "limit before the last shift",
      datasheet: "4.2.3",
      evidence: "Linux dee2dabc0e41; linux-iio msg53416"),
    DefectClass(
      "B13", "the fine temperature of another measurement, or none",
      symptom:
        "pressure and humidity lag behind the temperature, or are wrong from the first value",
      hiddenBy: "steady temperature, after the first value",
      fix: "compensate temperature first, each time",
      datasheet: "4.2.3",
      evidence:
        "qwiic_bme280_py 5; SparkFun_BME280_Arduino_Library 39; Forced-BME280 13; pico-examples 442; tock 5060"
    ),
    DefectClass(
      "B14", "the pressure's unit mixed up: 1/256 Pa, Pa, 0.01 Pa",
      symptom: "pressure wrong by a factor of 100 or 256",
      fix: "the 64-bit formula gives 1/256 Pa, the 32-bit formula Pa", datasheet: "4.2.3; 8.2",
      evidence: "janw-cz/JWA_BME280 4; community.sparkfun.com 42656; the thesis's last commit"),
    DefectClass(
      "B15", "the constant 16384.8 instead of 16384.0 in the humidity formula",
      symptom: "humidity off by 0.01 %RH",
      hiddenBy: "parts with H5 = 0", fix: "the constant is 16384.0", datasheet: "8.1",
      evidence: "adafruit/Adafruit_Python_BME280 5, f73319a"),
    DefectClass(
      "B16", "a comparison instead of a shift: (p > 13)",
      symptom: "pressure off by some Pa to hPa",
      fix: "p >> 13", datasheet: "4.2.3", evidence: "saphBme280 tests"),
    DefectClass(
      "B16b", "the square left out of the T3 term, or the sign of H5 inverted, in doubles",
      symptom: "temperature off by some 0.01 C; humidity off away from 25 C",
      hiddenBy: "small T3; parts with H5 = 0", fix: "the T3 term is squared, H5 is subtracted",
      datasheet: "8.1", evidence: "periph/devices bmxx80/bmx280_test.go"),
    DefectClass(
      "B17", "a logical shift of negative numbers",
      symptom: "temperature and pressure jump below a threshold",
      hiddenBy: "air in which no intermediate value is negative",
      fix: "shift signed numbers arithmetically",
      datasheet: "4.2.3", evidence: "adafruit/Adafruit_BME280_Library 78, 116"),
    DefectClass(
      "B18", "the 64-bit pressure with intermediates of 32 bits", symptom: "pressure absurd",
      fix: "64 bits for every intermediate value, 1 << 47 included", datasheet: "4.2.3",
      evidence: "avaldebe/AQmon 1"),
    DefectClass(
      "B19", "a word built from one byte twice, or one variable used instead of another",
      symptom: "humidity or pressure off, or the same number twice",
      hiddenBy: "words whose two bytes are nearly equal",
      fix: "use each byte and each variable once",
      evidence:
        "utkumaden/esp-idf-bmx280 3; bastienwirtz/Adafruit_Python_BMP PR 1; LilyGo-HiGrow 36, 62; SnorkTracker 7; the thesis's published code (P9)"
    ),
    DefectClass(
      "B20", "results cut to the operating range",
      symptom: "1100 hPa, 300 hPa, -40 C or 85 C exactly",
      hiddenBy: "results within the range",
      fix: "report that a value is out of range instead of showing the limit",
      evidence: "Bosch's BME280_SensorAPI: a negative pressure becomes 1100 hPa"),
  ]
}
