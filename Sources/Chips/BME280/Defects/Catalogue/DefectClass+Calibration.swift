extension DefectClass {
  /// Reading and putting together the calibration.
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
      "B02", "H4 and H5 take each other's nibble of 0xE5",
      symptom: "humidity off by 2 to 3 %RH", hiddenBy: "parts whose two nibbles are equal",
      fix: "H4 takes 0xE5[3:0], H5 takes 0xE5[7:4]", datasheet: "4.2.2, table 16",
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
      "B05", "H1 read from 0xA0 or 0x9F: 24 bytes where there are 26",
      symptom: "humidity too high, the more the damper the air",
      fix: "H1 lies at 0xA1; 0xA0 is not used",
      datasheet: "4.2.2, table 16",
      evidence:
        "raspberrypi/pico-examples 111; the constants sagan and microbit; BME280_SensorAPI 56; bme-driver 0.1.2; "
        + "utkumaden/esp-idf-bmx280 93e4786 (0x9F, the high byte of P9)"
    ),
    DefectClass(
      "B06", "words with the wrong sign, or a signed low byte over the high one",
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
      symptom: "pressure absurd beside a right temperature, or everything absurd",
      fix: "T1 begins at 0x88, P1 at 0x8E, H2 at 0xE1; write the register before the read",
      datasheet: "4.2.2, table 16",
      evidence: "raspberrypi/pico-examples 186; the thesis's published code (0x8D)"),
  ]
}
