public import VirtualParts

extension Fidelity {
  /// The facts by chapter.
  public static var chapters: [(title: String, facts: [Fact])] {
    [
      ("Registers", registers), ("Start-up and reset", startUp), ("Modes", modes),
      ("Measurement", measurement), ("Filter", filter), ("Noise and error", noise),
      ("Supply and current", supply), ("Bus", bus),
    ]
  }

  private static let registers = [
    Fact(
      statement: "id reads 0x60 on a BME280, 0x58 on a BMP280", source: "DS 5.4.1",
      test: "the id register tells the chip"),
    Fact(
      statement: "registers read their reset values", source: "DS 5.3",
      test: "registers read their documented reset values"),
    Fact(
      statement: "calibration words lie at 0x88 and 0xE1", source: "DS 4.2.2",
      test: "the calibration reads as burnt, in bursts and byte by byte"),
    Fact(
      statement: "a BMP280 has no 0xF2, 0xFD, 0xFE, 0xA1, 0xE1; they read 0x00", source: "seen",
      test: "a BMP280 has no second calibration block, no ctrl_hum and no humidity"),
    Fact(
      statement: "registers that nobody documents read as parts' dumps show", source: "seen",
      test: "a real part's registers read back as the part gave them"),
    Fact(
      statement: "0xFF reads 0x80 on a BME280, 0x00 on a BMP280", source: "seen",
      test: "past the data a BME280 reads 0x80, and the address wraps to 0x00"),
    Fact(
      statement: "ctrl_hum has three bits and reads back at once", source: "DS 5.4.3",
      test: "ctrl_hum keeps three bits and reads back at once"),
    Fact(
      statement: "the NVM cannot be written", source: "DS 4.2.2",
      test: "read-only registers acknowledge a write and ignore it"),
    Fact(
      statement: "reset takes 0xB6 alone and always reads 0x00", source: "DS 5.4.2",
      test: "reset: only 0xB6 has an effect, and the register always reads 0"),
  ]

  private static let startUp = [
    Fact(
      statement: "im_update is 1 while the NVM is copied, at power-on and reset",
      source: "DS 5.4.4",
      test: "while the NVM is copied im_update is 1 and the calibration reads 0"),
    Fact(
      statement: "im_update is 1 before each conversion, and measuring rises late",
      source: "DS 5.4.4, seen",
      test: "status: measuring rises late, stays to the end, and im_update before it"),
    Fact(
      statement: "a reset ends a measurement and clears everything", source: "DS 5.4.2",
      test: "a reset during a measurement ends it"),
    Fact(
      statement: "parts just powered on sleep with their reset values", source: "DS 3.2, seen",
      test: "parts just powered on read the reset values: bmp-orangepi from 0xF3 on"),
  ]

  private static let modes = [
    Fact(
      statement: "in sleep nothing is measured", source: "DS 3.3.2",
      test: "in sleep nothing is measured"),
    Fact(
      statement: "01 and 10 measure once, then the mode reads 00", source: "DS 3.3.3, table 25",
      test: "forced mode measures once and returns to sleep"),
    Fact(
      statement: "normal mode measures, pauses, and measures again", source: "DS 3.3.4",
      test: "normal mode measures again after the standby time, for ever"),
    Fact(
      statement: "a mode written during a measurement waits; further writes are dropped",
      source: "DS 3.3.1, seen",
      test: "a mode written during a measurement waits for its end; further writes are dropped"),
    Fact(
      statement: "sleep written in normal mode comes at the end of the measurement",
      source: "DS 3.3.1",
      test: "sleep written during a measurement of normal mode comes at its end"),
    Fact(
      statement: "ctrl_hum takes effect with the next write to ctrl_meas", source: "DS 5.4.3",
      test: "ctrl_hum takes effect only after a write to ctrl_meas"),
    Fact(
      statement: "standby times differ between the chips", source: "DS table 27",
      test: "standby times differ between the chips in the last two codes"),
    Fact(
      statement: "standby times hold within 5 % typically, 25 % at most", source: "DS 1.1",
      test: "standby times: nominal, 25 % longer at most, or off by the part's own oscillator"),
  ]

  private static let measurement = [
    Fact(
      statement: "a conversion takes the typical or the longest time", source: "DS 9.1",
      test: "a conversion takes the datasheet's time, to the nanosecond"),
    Fact(
      statement: "a part's times share its oscillator's error, up to the longest conversion",
      source: "DS 1.1, 9.1",
      test: "drawn conversion times are one part's own, and never longer than the longest"),
    Fact(
      statement: "a conversion keeps the settings with which it began", source: "DS 3.3.1",
      test: "the running conversion keeps its settings"),
    Fact(
      statement: "data change at the end of the measurement, all at once", source: "DS 4.1",
      test: "data change at the end of the measurement, all at once"),
    Fact(
      statement: "measuring falls when the results can be read", source: "DS 5.4.4",
      test: "when measuring reads 0 again the new data are read, also in one combined transfer"),
    Fact(
      statement: "a burst that holds results back keeps measuring at 1", source: "DS 4.1, 5.4.4",
      test: "measuring stays 1 while a burst keeps the results from the data registers"),
    Fact(
      statement: "a skipped channel reads 0x80000 or 0x8000", source: "DS tables 20, 23, 24",
      test: "a skipped channel reads its skip code"),
    Fact(
      statement: "without the filter 16 bits at x1 and one more for each doubling",
      source: "DS 3.4.1",
      test: "without the filter the resolution is 16 bits and one more for each doubling"),
    Fact(
      statement: "with the filter 20 bits on a BME280, oversampling alone on a BMP280",
      source: "DS 3.4.1, 5.2",
      test: "with the filter a BME280 has 20 bits, a BMP280 what oversampling gives"),
    Fact(
      statement: "registers compensate to the air within a step", source: "DS 4.2.3",
      test: "temperature, pressure and humidity come back within one step"),
    Fact(
      statement: "what a part cannot express reads as the nearest it can", source: "arithmetic",
      test: "where a part falls short, no code at all is nearer"),
    Fact(
      statement: "humidity beyond 0 and 100 % goes on in the code", source: "DS 4.2.3, seen",
      test: "humidity beyond 0 and 100 % goes on in the code, where the formula's clamp hides it"),
  ]

  private static let filter = [
    Fact(
      statement: "the filter reaches 75 % of a step after 1, 2, 5, 11, 22 samples",
      source: "DS table 28",
      test: "the filter reaches 75 % of a step after 1, 2, 5, 11 and 22 samples (DS table 28)"),
    Fact(
      statement: "after a write to config the first value passes unchanged", source: "DS 3.4.4",
      test: "the first value after a write to config passes the filter unchanged"),
    Fact(
      statement: "skipping a channel keeps its filter memory", source: "DS 3.4.4",
      test: "skipping a channel keeps its filter memory"),
  ]

  private static let noise = [
    Fact(
      statement: "noise reproducible by seed, and none when off", source: "DS 3.6",
      test: "noise has the datasheet's figure, by seed, and none when off"),
    Fact(
      statement: "noise of pressure by oversampling and filter", source: "DS 3.6",
      test:
        "behind the filter pressure has the table's noise, as the standard deviation of 32 samples"),
    Fact(
      statement: "noise of pressure changes with temperature", source: "DS 3.6",
      test: "pressure noise is 25 % larger at -10 C and 5 % smaller at 75 C"),
    Fact(
      statement: "noise of temperature and humidity by oversampling", source: "DS 3.6",
      test: "temperature and humidity have the table's noise"),
    Fact(
      statement: "noise of humidity goes below 0 %", source: "arithmetic",
      test: "near 0 % noise moves the code of humidity by a little"),
    Fact(
      statement: "coarse steps behind the filter do not shift the mean", source: "arithmetic",
      test: "a filtered and noisy BMP280 has no bias from its coarse steps"),
    Fact(
      statement: "an offset holds from the start, a drift grows with the years",
      source: "DS 1.2-1.4", test: "an offset is there from the start, drift grows with the years"),
    Fact(
      statement: "offsets and drifts beyond the accuracy figures are told", source: "DS 1.2-1.4",
      test: "errors that the datasheet does not allow are named"),
    Fact(
      statement: "a part that measures warms itself", source: "DS 1.4",
      test: "a part that measures without a pause warms itself, and cools again"),
    Fact(
      statement: "a warm part senses less relative humidity", source: "physics",
      test:
        "a part that is warmer than the air senses less relative humidity: the vapour is the same"
    ),
  ]

  private static let supply = [
    Fact(
      statement: "cycling VDD starts the part anew", source: "DS 3.2",
      test: "without VDD nobody answers; when it returns the part starts anew"),
    Fact(
      statement: "cycling VDDIO alone does not", source: "DS 3.2",
      test: "without VDDIO nobody answers, but the part keeps its state"),
    Fact(
      statement: "current of forced mode once a second", source: "DS 3.6",
      test: "forced once a second draws what the datasheet's tables say"),
    Fact(
      statement: "the worked example of 94.4 uA", source: "DS 9.5",
      test: "the datasheet's example: 94.4 uA at 13.51 Hz with T x1, P x4 in normal mode of 62.5 ms"
    ),
    Fact(
      statement: "sleep 0.1 uA, standby 0.2 uA", source: "DS 1.1",
      test: "sleep draws 0.1 uA, standby 0.2 uA"),
  ]

  private static let bus = [
    Fact(
      statement: "writes are pairs, not auto-incremented", source: "DS 6.2.1",
      test: "writes are pairs of register and data, not auto-incremented"),
    Fact(
      statement: "a block write's second byte is a register address", source: "DS Fig 9",
      test: "a block write takes its second data byte for a register address"),
    Fact(
      statement: "a register address may be ended by stop or repeated start",
      source: "DS 6.2.2, seen",
      test: "a trailing register address only sets the pointer: stop and start reads as well"),
    Fact(
      statement: "a burst freezes the data until its stop", source: "DS 4.1",
      test: "a burst read is not torn by a measurement that ends in it"),
    Fact(
      statement: "SDO is sampled live", source: "DS 6.2",
      test: "SDO may change during operation: the part answers at the other address"),
    Fact(
      statement: "the part never stretches the clock", source: "DS 6.2",
      test: "the part never stretches the clock"),
  ]
}
