extension DefectClass {
  /// The classes of defects in power modes, the order of accesses, and waiting.
  package static let protocols = [
    DefectClass(
      "B21", "ctrl_hum written and ctrl_meas not written after it",
      symptom: "humidity of an earlier setting, or that of the code 0x8000 (70 to 91 %RH)",
      hiddenBy: "programs that write ctrl_meas for each measurement",
      fix: "write ctrl_hum (0xF2) before ctrl_meas (0xF4)", datasheet: "5.4.3",
      evidence: "Adafruit_BME280_Library 3; gobot 424, PR 425; diozero 62"),
    DefectClass(
      "B22", "config written in normal mode", symptom: "filter and standby time stay as they were",
      hiddenBy: "parts that accept it nevertheless", fix: "go to sleep mode before writing 0xF5",
      datasheet: "5.4.6",
      evidence: "Adafruit_BME280_Library 30; zephyr 89872, PR 90646; Tasmota 1051"),
    DefectClass(
      "B23", "ctrl_meas written again while a measurement runs",
      symptom: "the second write is lost",
      hiddenBy: "programs that wait", fix: "wait until measuring (status bit 3) is 0",
      datasheet: "3.3.1",
      evidence: "BMP280_driver 8"),
    DefectClass(
      "B24", "data read before the first measurement has finished",
      symptom: "about 22 C, 700 hPa and 71 to 91 %RH: the codes 0x80000 and 0x8000 compensated",
      fix: "wait for the first measurement", datasheet: "5.4.7; 9.1",
      evidence:
        "zephyr 37231; nuttx 12421; finitespace/BME280 59, 62; BME280_SensorAPI 37, 46; bme280-sensor 7"
    ),
    DefectClass(
      "B25", "measuring polled right after the trigger, when it is still 0",
      symptom: "each reading is the previous one", hiddenBy: "slow buses and steady air",
      fix: "wait the measurement time before polling", datasheet: "5.4.4; 9.1",
      evidence: "UncleRus/esp-idf-lib 2, PR 3"),
    DefectClass(
      "B26", "the wait shorter than the longest measurement",
      symptom: "occasionally the previous reading",
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
      "B28", "0x80000 or 0x8000 interpreted as a skipped channel",
      symptom: "occasionally no value, around 22 C or 80 %RH", hiddenBy: "all other air",
      fix: "read from ctrl_meas and ctrl_hum whether a channel is skipped",
      datasheet: "5.4.3; 5.4.5",
      evidence: "Adafruit_BME280_Library 114, PR 115; shown as 0 in xinabox-sw01 0.0.5"),
    DefectClass(
      "B29", "a channel left skipped",
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
      symptom: "a first value between the reset value and the correct value",
      fix: "discard the first value, or wait for the filter to settle", datasheet: "3.4.4",
      evidence: "finitespace 59, PR 81; OpenEarable PR 138"),
    DefectClass(
      "B32", "a BMP280 treated as a BME280",
      symptom: "a meaningless humidity; other standby times",
      fix: "read the id (0xD0): 0x60 is a BME280, 0x58 a BMP280", datasheet: "5.4.1",
      evidence: "pimoroni/bme280-python 20; finitespace 93; esphome PR 981; betaflight 8863"),
  ]

  package static let bus = [
    DefectClass(
      "B33", "several registers written as a block", symptom: "only the first register is written",
      fix: "send register and value in pairs: writes do not increment", datasheet: "6.2.1",
      evidence: "BME280_SensorAPI PR 72, 58"),
    DefectClass(
      "B34", "bit 7 of the register cleared on writes, or a dummy byte kept, as on SPI",
      symptom: "all writes are lost, or data are shifted by a byte",
      fix: "on I2C, use register addresses unchanged",
      datasheet: "6.2; 6.3", evidence: "mynewt-core PR 3307; BMP280_driver 16"),
    DefectClass(
      "B35", "a failed read ignored and the old buffer used", symptom: "frozen or invented values",
      fix: "check every transfer for errors",
      evidence: "BME280_SensorAPI commit 0c11ddc, 29, 35; SparkFun 4"),
    DefectClass(
      "B36", "the address of one device used for another", symptom: "two sensors show the same",
      fix: "an address for each device", evidence: "BME280_SensorAPI PR 92"),
    DefectClass(
      "B37", "a part that lost its power is not configured again",
      symptom: "power-on values from some time on: about 22 C and 700 hPa",
      fix: "compare ctrl_meas regularly, and configure the part again", datasheet: "3.2",
      evidence: "Adafruit_BME280_Library PR 87"),
  ]
}

extension DefectClass {
  /// The classes of defects that only have an effect in changing air, on a faster bus, or in a long run.
  package static let courses = [
    DefectClass(
      "B60", "the last value repeated when a read fails, or ever after",
      symptom:
        "constant values while the air changes; plausible readings of an unplugged sensor",
      hiddenBy: "constant air, and a bus without failures",
      fix: "show no value for a failed reading, or show its age",
      evidence: "BME280_SensorAPI 29, 35; own mutants"),
    DefectClass(
      "B61",
      "integer part and decimals printed separately: the sign of -0.4 or the 0 of 19.07 is lost",
      symptom: "0.43 C for -0.43 C, 19.7 C for 19.07 C",
      hiddenBy: "temperatures outside -1 to 0 C, and decimals of .10 or more",
      fix: "print the sign separately, and the decimals with leading zeros",
      evidence: "own mutants only; no public driver is known"),
    DefectClass(
      "B62", "a wait counted in transfers, which is too short on a faster bus",
      symptom: "each reading shows the previous measurement, or power-on values",
      hiddenBy: "a bus at 100 kHz",
      fix: "wait for the maximum measurement time by a clock, then read the status",
      datasheet: "9.1", evidence: "own mutants only; no public driver is known"),
    DefectClass(
      "B63",
      "a result cached as long as its own raw value is unchanged, although it depends on others",
      symptom: "pressure or humidity that does not follow the temperature",
      hiddenBy: "raw values that all change at once",
      fix: "recompute all three: each depends on the fine temperature", datasheet: "4.2.3",
      evidence: "own mutants only; no public driver is known"),
    DefectClass(
      "B64", "a correction that grows with the time since the start",
      symptom: "correct values at first, which drift within minutes or hours",
      hiddenBy: "short tests",
      fix: "correct values by measurements, not by the running time of the program",
      evidence: "own mutants only; no public driver is known"),
    DefectClass(
      "B65", "a resource opened or allocated for each reading, or each failure, and never released",
      symptom: "no more readings after an hour or a day: too many open files, or no memory",
      hiddenBy: "short tests",
      fix: "open the bus once, or close it on every path, also after a failure",
      evidence: "own mutants only; no public driver is known"),
    DefectClass(
      "B66", "a change that is not shown: too large or too small to be plausible, or not yet due",
      symptom: "a value that is constant for some readings while the air changes",
      hiddenBy: "constant air, and changes of the size that was tested",
      fix: "show the measured values; leave filters to the user, and document them",
      evidence: "own mutants only; no public driver is known"),
    DefectClass(
      "B67", "an endless wait for a status that can no longer be read, or does not change",
      symptom: "the program hangs, without a message, after the sensor is unplugged",
      hiddenBy: "a sensor that is only lost between two readings",
      fix: "check the read of the status, and limit the time of the wait",
      evidence: "Adafruit_BME280_Library 75, PR 90; beckenc/homie-dht 2"),
    DefectClass(
      "B68", "a counter of errors that is never reset",
      symptom: "no more readings after days or weeks: too many errors",
      hiddenBy: "short tests, and failures that follow each other",
      fix: "reset the counter after each success",
      evidence: "own mutants only; no public driver is known"),
    DefectClass(
      "B69", "intervals measured by the wall clock, which can be set",
      symptom: "no values for an hour after the time was set",
      hiddenBy: "a clock that is right from the start",
      fix: "measure intervals by a monotonic clock",
      evidence: "own mutants only; no public driver is known"),
  ]
}
