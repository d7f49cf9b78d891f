extension DefectClass {
  /// Computing the values.
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
      "B15", "the constant 16384.8 for 16384.0 in the humidity",
      symptom: "humidity off by 0.01 %RH",
      hiddenBy: "parts with H5 = 0", fix: "the constant is 16384.0", datasheet: "8.1",
      evidence: "adafruit/Adafruit_Python_BME280 5, f73319a"),
    DefectClass(
      "B16", "a comparison where a shift belongs: (p > 13)",
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
      "B19", "a word built from one byte twice, or one variable taken for another",
      symptom: "humidity or pressure off, or the same number in two places",
      hiddenBy: "words whose two bytes are nearly equal", fix: "one byte each, one variable each",
      evidence:
        "utkumaden/esp-idf-bmx280 3; bastienwirtz/Adafruit_Python_BMP PR 1; LilyGo-HiGrow 36, 62; SnorkTracker 7; the thesis's published code (P9)"
    ),
    DefectClass(
      "B20", "results cut to the operating range",
      symptom: "1100 hPa, 300 hPa, -40 C or 85 C exactly",
      hiddenBy: "results within the range",
      fix: "say that a value is out of range instead of showing the limit",
      evidence: "Bosch's BME280_SensorAPI: a negative pressure becomes 1100 hPa"),
  ]
}
