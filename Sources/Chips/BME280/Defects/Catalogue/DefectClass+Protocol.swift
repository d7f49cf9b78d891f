extension DefectClass {
  /// Modes, order and waiting.
  package static let protocols = [
    DefectClass(
      "B21", "ctrl_hum written and ctrl_meas not written after it",
      symptom: "humidity of an earlier setting, or that of the code 0x8000 (70 to 91 %RH)",
      hiddenBy: "programs that write ctrl_meas for each measurement",
      fix: "write ctrl_hum (0xF2) before ctrl_meas (0xF4)", datasheet: "5.4.3",
      evidence: "Adafruit_BME280_Library 3; gobot 424, PR 425; diozero 62"),
    DefectClass(
      "B22", "config written in normal mode", symptom: "filter and standby time stay as they were",
      hiddenBy: "parts that take it nevertheless", fix: "go to sleep mode before writing 0xF5",
      datasheet: "5.4.6",
      evidence: "Adafruit_BME280_Library 30; zephyr 89872, PR 90646; Tasmota 1051"),
    DefectClass(
      "B23", "ctrl_meas written again while a measurement runs",
      symptom: "the second write is lost",
      hiddenBy: "programs that wait", fix: "wait until measuring (status bit 3) is 0",
      datasheet: "3.3.1",
      evidence: "BMP280_driver 8"),
    DefectClass(
      "B24", "data read before the first measurement is over",
      symptom: "about 22 C, 700 hPa and 71 to 91 %RH: the codes 0x80000 and 0x8000 compensated",
      fix: "wait for the first measurement", datasheet: "5.4.7; 9.1",
      evidence:
        "zephyr 37231; nuttx 12421; finitespace/BME280 59, 62; BME280_SensorAPI 37, 46; bme280-sensor 7"
    ),
    DefectClass(
      "B25", "measuring polled right after the trigger, when it is still 0",
      symptom: "each reading is the one before", hiddenBy: "slow buses and steady air",
      fix: "wait the measurement time before polling", datasheet: "5.4.4; 9.1",
      evidence: "UncleRus/esp-idf-lib 2, PR 3"),
    DefectClass(
      "B26", "the wait shorter than the longest measurement",
      symptom: "now and then the reading before",
      hiddenBy: "parts that measure in the typical time",
      fix: "1.25 ms + 2.3 ms for each sample + 0.575 ms each for pressure and humidity",
      datasheet: "9.1",
      evidence: "Linux bmp280_wait_conv; Forced-BME280 12"),
    DefectClass(
      "B27", "forced mode triggered once only", symptom: "values frozen from the first reading on",
      fix: "write ctrl_meas for each measurement", datasheet: "3.3.3",
      evidence: "BlueDot_BME280 13; Adafruit_BMP280_Library 27; finitespace 27, 137; SparkFun PR 18"
    ),
    DefectClass(
      "B28", "0x80000 or 0x8000 taken for a channel that is switched off",
      symptom: "no value now and then, around 22 C or 80 %RH", hiddenBy: "all other air",
      fix: "whether a channel is skipped stands in ctrl_meas and ctrl_hum",
      datasheet: "5.4.3; 5.4.5",
      evidence: "Adafruit_BME280_Library 114, PR 115; shown as 0 in xinabox-sw01 0.0.5"),
    DefectClass(
      "B29", "a channel left at skip",
      symptom: "a value that never changes (0x80000 or 0x8000 compensated)",
      fix: "set the oversampling of each channel that is shown", datasheet: "5.4.3; 5.4.5",
      evidence: "BMP280_driver 16; BME280_SensorAPI 37"),
    DefectClass(
      "B30", "data registers read in several transfers while the part measures on",
      symptom: "rare outliers: bytes of two measurements", hiddenBy: "forced mode",
      fix: "read 0xF7 to 0xFE in one burst", datasheet: "4.1",
      evidence:
        "BlueDot_BME280 12; Adafruit_BME280_Library 78; esphome PR 2809; embd PR 72; ESPEasy 2133"),
    DefectClass(
      "B31", "the first value of the filter used",
      symptom: "a first value between reset value and truth",
      fix: "throw the first value away, or let the filter settle", datasheet: "3.4.4",
      evidence: "finitespace 59, PR 81; OpenEarable PR 138"),
    DefectClass(
      "B32", "a BMP280 taken for a BME280",
      symptom: "a humidity that means nothing; other standby times",
      fix: "read the id (0xD0): 0x60 is a BME280, 0x58 a BMP280", datasheet: "5.4.1",
      evidence: "pimoroni/bme280-python 20; finitespace 93; esphome PR 981; betaflight 8863"),
  ]

  /// The bus.
  package static let bus = [
    DefectClass(
      "B33", "several registers written as a block", symptom: "only the first register is written",
      fix: "send register and value in pairs: writes do not increment", datasheet: "6.2.1",
      evidence: "BME280_SensorAPI PR 72, 58"),
    DefectClass(
      "B34", "bit 7 of the register cleared on writes, or a dummy byte kept, as on SPI",
      symptom: "all writes are lost, or data are shifted by a byte",
      fix: "on I2C registers are used as they are",
      datasheet: "6.2; 6.3", evidence: "mynewt-core PR 3307; BMP280_driver 16"),
    DefectClass(
      "B35", "a failed read ignored and the old buffer used", symptom: "frozen or invented values",
      fix: "look at the error of every transfer",
      evidence: "BME280_SensorAPI commit 0c11ddc, 29, 35; SparkFun 4"),
    DefectClass(
      "B36", "the address of one device used for another", symptom: "two sensors show the same",
      fix: "an address for each device", evidence: "BME280_SensorAPI PR 92"),
    DefectClass(
      "B37", "a part that lost its power is not set up again",
      symptom: "power-on values from some moment on: about 22 C and 700 hPa",
      fix: "compare ctrl_meas now and then, and set the part up again", datasheet: "3.2",
      evidence: "Adafruit_BME280_Library PR 87"),
  ]
}
