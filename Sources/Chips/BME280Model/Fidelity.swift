public import VirtualI2C

/// The fidelity ledger of the BME280 and BMP280 model: facts, assumptions and omissions.
public enum Fidelity {
  /// A fact about the chip and the test that fails if the model violates it.
  public typealias Fact = FidelityLedger.Fact
  /// An undocumented behavior of the chip and the switch that selects it.
  public typealias Assumption = FidelityLedger.Assumption
  /// A simplification of the model.
  public typealias Shortcut = FidelityLedger.Shortcut

  /// The ledger from which the documentation page is printed.
  public static var ledger: FidelityLedger {
    FidelityLedger(
      title: "Fidelity",
      preface: [
        "Printed by `aneroid doctor --fidelity`. Each fact names the test that fails if the model violates",
        "it. DS is Bosch's data sheet of the BME280; *seen* means captured from real parts.",
      ],
      chapters: chapters, assumptions: assumptions, shortcuts: shortcuts)
  }
}

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
      test: "the id register identifies the chip"),
    Fact(
      statement: "registers read their reset values", source: "DS 5.3",
      test: "registers read their documented reset values"),
    Fact(
      statement: "calibration words lie at 0x88 and 0xE1", source: "DS 4.2.2",
      test: "the calibration reads back as stored in the NVM, in bursts and byte by byte"),
    Fact(
      statement: "a BMP280 has no 0xF2, 0xFD, 0xFE, 0xA1, 0xE1; they read 0x00", source: "seen",
      test: "a BMP280 has no second calibration block, no ctrl_hum and no humidity"),
    Fact(
      statement: "undocumented registers read as in dumps of real parts", source: "seen",
      test: "the registers of a real part read back as in its dump"),
    Fact(
      statement: "0xFF reads 0x80 on a BME280, 0x00 on a BMP280", source: "seen",
      test: "past the data a BME280 reads 0x80, and the address wraps to 0x00"),
    Fact(
      statement: "ctrl_hum has three bits and reads back immediately", source: "DS 5.4.3",
      test: "ctrl_hum stores three bits and reads back immediately"),
    Fact(
      statement: "the NVM cannot be written", source: "DS 4.2.2",
      test: "read-only registers acknowledge a write and ignore it"),
    Fact(
      statement: "reset accepts only 0xB6 and always reads 0x00", source: "DS 5.4.2",
      test: "reset: only 0xB6 has an effect, and the register always reads 0"),
  ]

  private static let startUp = [
    Fact(
      statement: "im_update is 1 while the NVM is copied, at power-on and reset",
      source: "DS 5.4.4",
      test: "while the NVM is copied im_update is 1 and the calibration reads 0"),
    Fact(
      statement: "im_update is 1 before each conversion, and measuring is set with a delay",
      source: "DS 5.4.4, seen",
      test: "measuring is set with a delay after im_update and stays set until the end"),
    Fact(
      statement: "a reset aborts a measurement and clears all registers", source: "DS 5.4.2",
      test: "a reset during a measurement aborts it"),
    Fact(
      statement: "after power-on parts sleep with their reset values", source: "DS 3.2, seen",
      test: "after power-on the registers read their reset values: bmp-orangepi from 0xF3"),
  ]

  private static let modes = [
    Fact(
      statement: "sleep mode does not measure", source: "DS 3.3.2",
      test: "sleep mode does not measure"),
    Fact(
      statement: "01 and 10 measure once, then the mode reads 00", source: "DS 3.3.3, table 25",
      test: "forced mode measures once and returns to sleep"),
    Fact(
      statement: "normal mode measures repeatedly, with a standby time in between",
      source: "DS 3.3.4",
      test: "normal mode repeats a measurement after each standby time"),
    Fact(
      statement:
        "a mode written during a measurement is pending until its end; further writes are dropped",
      source: "DS 3.3.1, seen",
      test:
        "a mode written during a measurement takes effect at its end; further writes are dropped"),
    Fact(
      statement: "sleep written in normal mode takes effect at the end of the measurement",
      source: "DS 3.3.1",
      test: "sleep written during a measurement of normal mode takes effect at its end"),
    Fact(
      statement: "ctrl_hum takes effect with the next write to ctrl_meas", source: "DS 5.4.3",
      test: "ctrl_hum takes effect only after a write to ctrl_meas"),
    Fact(
      statement: "standby times differ between the chips", source: "DS table 27",
      test: "standby times differ between the chips in the last two codes"),
    Fact(
      statement: "standby times are accurate to 5 % typically, 25 % at most", source: "DS 1.1",
      test:
        "standby times are nominal, at most 25 % longer, or off by the error of the part's oscillator"
    ),
  ]

  private static let measurement = [
    Fact(
      statement: "a conversion takes the typical or the maximum time", source: "DS 9.1",
      test: "a conversion takes the datasheet's time, to the nanosecond"),
    Fact(
      statement:
        "all times of a part share the error of its oscillator, up to the maximum conversion time",
      source: "DS 1.1, 9.1",
      test: "drawn conversion times are specific to the part and never exceed the maximum"),
    Fact(
      statement: "a conversion keeps the settings with which it started", source: "DS 3.3.1",
      test: "a running conversion keeps its settings"),
    Fact(
      statement: "all data change together at the end of the measurement", source: "DS 4.1",
      test: "all data change together at the end of the measurement"),
    Fact(
      statement: "measuring is cleared when the results can be read", source: "DS 5.4.4",
      test: "when measuring reads 0 again, the new data are readable, also in one combined transfer"
    ),
    Fact(
      statement: "measuring stays 1 while a burst delays results", source: "DS 4.1, 5.4.4",
      test: "measuring stays 1 while a burst delays the update of the data registers"),
    Fact(
      statement: "a skipped channel reads 0x80000 or 0x8000", source: "DS tables 20, 23, 24",
      test: "a skipped channel reads its skip code"),
    Fact(
      statement: "without the filter 16 bits at x1 and one more for each doubling",
      source: "DS 3.4.1",
      test: "without the filter the resolution is 16 bits and one more for each doubling"),
    Fact(
      statement: "with the filter 20 bits on a BME280, by oversampling on a BMP280",
      source: "DS 3.4.1, 5.2",
      test: "with the filter a BME280 has 20 bits, a BMP280 the resolution of its oversampling"),
    Fact(
      statement: "the compensated registers equal the air within one step", source: "DS 4.2.3",
      test: "temperature, pressure and humidity are reproduced within one step"),
    Fact(
      statement: "values that a part cannot represent read as the nearest representable value",
      source: "arithmetic",
      test: "for values that a part cannot represent, no code is nearer"),
    Fact(
      statement: "humidity below 0 and above 100 % is represented in the code",
      source: "DS 4.2.3, seen",
      test:
        "humidity below 0 and above 100 % is represented in the code, although the formula clamps it"
    ),
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
        "filtered pressure has the table's noise, as the standard deviation of 32 samples"),
    Fact(
      statement: "noise of pressure changes with temperature", source: "DS 3.6",
      test: "pressure noise is 25 % larger at -10 C and 5 % smaller at 75 C"),
    Fact(
      statement: "noise of temperature and humidity by oversampling", source: "DS 3.6",
      test: "temperature and humidity have the table's noise"),
    Fact(
      statement: "noise of humidity goes below 0 %", source: "arithmetic",
      test: "near 0 % noise changes the code of humidity slightly"),
    Fact(
      statement: "coarse steps after the filter do not shift the mean", source: "arithmetic",
      test: "coarse steps do not bias a filtered and noisy BMP280"),
    Fact(
      statement: "an offset applies from the start, a drift grows over the years",
      source: "DS 1.2-1.4", test: "an offset applies from the start, drift grows over the years"),
    Fact(
      statement: "offsets and drifts beyond the accuracy figures are reported",
      source: "DS 1.2-1.4",
      test: "errors beyond the datasheet's limits are reported"),
    Fact(
      statement: "a measuring part heats itself", source: "DS 1.4",
      test: "a part that measures continuously heats up, and cools down afterwards"),
    Fact(
      statement: "a heated part senses less relative humidity", source: "physics",
      test:
        "a part warmer than the air senses less relative humidity: the vapour pressure is the same"
    ),
  ]

  private static let supply = [
    Fact(
      statement: "cycling VDD restarts the part", source: "DS 3.2",
      test: "without VDD the part does not respond; when VDD returns, the part restarts"),
    Fact(
      statement: "cycling VDDIO alone does not", source: "DS 3.2",
      test: "without VDDIO the part does not respond, but keeps its state"),
    Fact(
      statement: "current of forced mode once a second", source: "DS 3.6",
      test: "forced mode once a second draws the current of the datasheet's tables"),
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
      test: "a block write interprets its second data byte as a register address"),
    Fact(
      statement: "a register address may be followed by a STOP or a repeated START",
      source: "DS 6.2.2, seen",
      test: "a trailing register address only sets the pointer, also before STOP and START"),
    Fact(
      statement: "a burst freezes the data until its stop", source: "DS 4.1",
      test: "a burst read is not torn by a measurement that finishes during it"),
    Fact(
      statement: "SDO may change at run time", source: "DS 6.2",
      test: "SDO may change at run time: the part then responds at the other address"),
    Fact(
      statement: "the part never stretches the clock", source: "DS 6.2",
      test: "the part never stretches the clock"),
  ]
}

extension Fidelity {
  /// The assumptions about undocumented behavior, each with the rig key that changes it.
  public static var assumptions: [FidelityLedger.Assumption] {
    let defaults = UndocumentedBehavior()
    return UndocumentedBehavior.assumptions.map { $0.entry(defaults: defaults) }
  }

  /// The behavior that is not modelled.
  public static let shortcuts = [
    Shortcut(
      statement: "SPI",
      consequence: "the model supports I2C only; spi3w_en reads back and has no effect"),
    Shortcut(
      statement: "CSB low, which disables I2C until power-on",
      consequence: "CSB is always high"),
    Shortcut(
      statement: "the ids 0x56 and 0x57 of BMP280 samples",
      consequence: "a virtual BMP280 returns 0x58; the driver accepts all three"),
    Shortcut(
      statement: "registers that show internal state (0xBD, 0xBE, 0xC0 to 0xC2)",
      consequence: "they read as at power-on"),
    Shortcut(
      statement: "0x80 to 0x87, 0xA2 and 0xE8, which differ between parts",
      consequence: "they read as on one real part"),
    Shortcut(
      statement: "the air is sampled once, at the end of a conversion",
      consequence: "changes of the air within milliseconds are not spread over the three channels"),
    Shortcut(
      statement: "hysteresis and response time of humidity (1 s)",
      consequence: "humidity follows the air immediately"),
    Shortcut(
      statement: "humidity outside its temperature range",
      consequence: "it is as accurate there as inside"),
    Shortcut(
      statement: "the supply current during start-up",
      consequence: "it counts as sleep"),
    Shortcut(
      statement: "noise of temperature in the pressure and humidity of the same result",
      consequence: "they are computed with the temperature of the result, including its noise"),
    Shortcut(
      statement: "a BMP280's own figures of time, noise and current",
      consequence: "it has those of the BME280"),
    Shortcut(
      statement: "the humidity current of DS 9.5 (340 uA)",
      consequence: "330 uA, which reproduces every figure of the table in DS 3.6"),
  ]
}
