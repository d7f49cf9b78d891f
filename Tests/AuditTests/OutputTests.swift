import Audit
import Quantities
import Support
import Testing

/// Extraction of values from program output, by given formats and by inference.
struct OutputTests {
  static let truth: [Measurand: Double] = [
    .temperature: 18.63, .pressure: 100_937, .humidity: 42.6,
  ]

  /// Returns the values inferred from lines, in °C, Pa and %.
  static func guessed(_ lines: [String]) throws -> [Measurand: Double] {
    let guess = try FormatInference(lines, truth: truth)
    let source = try PatternSource(guess.patterns)
    var assembly = ReadingAssembly()
    for line in lines { assembly.take(source.values(in: line)) }
    assembly.finish()
    let values = try #require(assembly.readings.last).compactMapValues(\.value)
    return values.mapValues { ($0 * 100).rounded() / 100 }
  }

  @Test("a number whose fraction has a sign of its own is no value, on any bench")
  func signedFraction() throws {
    let calm = "temperature: 18.63 C"
    let source = try PatternSource(try FormatInference([calm], truth: Self.truth).patterns)
    #expect(!source.values(in: calm).isEmpty && !source.values(in: "temperature: -20 C").isEmpty)
    for line in ["temperature: -20.-37 C", "temperature: 0.-43 C"] {
      #expect(source.values(in: line).isEmpty)
    }
  }

  @Test(
    "common output formats are recognised",
    arguments: [
      ["Temperature: 18.63 °C", "Pressure: 1009.37 hPa", "Humidity: 42.60 %"],
      ["temperature 18.63 C, pressure 1009.37 hPa, humidity 42.60 %"],
      ["T=18.63 P=1009.37 H=42.60"],
      ["18.63 1009.37 42.60"],
      ["18.63C 1009.37hPa 42.60%"],
      ["18.63,100937.00,42.60"],
      ["{\"temperature\": 18.63, \"pressure\": 100937.0, \"humidity\": 42.6}"],
      [
        "{\"sensor\": \"pressure probe\", \"temperature\": 18.63, \"temperature_unit\": \"C\", "
          + "\"pressure\": 1009.37, \"pressure_unit\": \"hPa\", \"humidity\": 42.6, "
          + "\"humidity_unit\": \"%RH\"}"
      ],
      [
        "{'temperature': {'value': 18.63, 'unit': 'C'}, 'pressure': {'value': 1009.37, 'unit': 'hPa'}, "
          + "'humidity': {'value': 42.6, 'unit': '%'}}"
      ],
      ["2026-11-21 12:00:01 temp: 18.63C press: 1009.37mbar hum: 42.60%rh"],
      ["0.014 s  0x76 on bus 1   1009.37 hPa   18.63 C   42.6 %"],
      ["BME280 at 0x76", "Temp (C): 18.63", "Baro [hPa]: 1009.37", "RH: 42.60"],
      ["temperature_c=18.63 pressure_hpa=1009.37 humidity=42.60"],
      ["Temperature: 65.53 F, Pressure: 29.807 inHg, Humidity: 42.60%"],
      [
        "Altitude: 33.1 m, Temperature 18.63 C, Pressure 100.937 kPa, Dew point 5.6 C, Humidity 42.6 %"
      ],
      ["Temperature: 18.63 C (65.53 F)  Pressure: 1009.37 hPa  Humidity: 42.6 %"],
      [
        "# HELP sensor_temp T", "sensor_temp{bus=\"1\"} 18.63",
        "sensor_pressure_hpa{bus=\"1\"} 1009.37",
        "sensor_humidity{bus=\"1\",address=\"0x76\"} 42.60",
      ],
      [
        "bme280_temperature_celsius{bus=\"1\",id=\"118\"} 18.63 1700000000000",
        "bme280_pressure_pascals{bus=\"1\",id=\"118\"} 100937.0 1700000000000",
        "bme280_humidity_percent{bus=\"1\",id=\"118\"} 42.60 1700000000000",
      ],
      ["sensor_temp_c 18.63", "sensor_pressure_pa 100937.0", "sensor_humidity 42.6"],
      ["2026-11-18T18:43:42Z;18.63;1009.37;42.60"],
      ["2026-11-18T18:43:42.600000+00:00;18.63;1009.37;42.60"],
      ["2026-11-18 18:43:42; 18.63; 1009.37; 42.60"],
      ["time;temperature;pressure;humidity", "2026-11-18T18:43:42;18.63;100937.0;42.60"],
      ["t=18.63C p=1009.37hPa rh=42.6% steady", "t=18.63C p=1009.37hPa rh=42.6% rising"],
    ])
  func guesses(_ lines: [String]) throws {
    let values = try Self.guessed(lines)
    #expect(abs(try #require(values[.temperature]) - 18.63) < 0.01)
    #expect(abs(try #require(values[.pressure]) - 100_937) < 10)
    #expect(values[.humidity] == 42.6)
  }

  @Test("a format inferred from one line parses later lines with other times and values")
  func times() throws {
    for (line, later) in [
      ("2026-11-18T18:43:42Z;18.63;1009.37;42.60", "2027-01-02T07:01:05Z;-20.37;1026.41;100.0"),
      ("18:43 18.63 1009.37 42.60", "07:01 -20.37 1026.41 100.0"),
    ] {
      let source = try PatternSource(try FormatInference([line], truth: Self.truth).patterns)
      let values = source.values(in: later)
      #expect(values.map(\.text) == ["-20.37 C", "1026.41 hPa", "100.0 %"], "\(line)")
    }
    let metric = "sensor_temp{bus=\"1\"} 18.63"
    let source = try PatternSource(try FormatInference([metric], truth: Self.truth).patterns)
    #expect(source.values(in: "sensor_temp{bus=\"1\"} -7.5").map(\.text) == ["-7.5 C"])
  }

  @Test("a wrong value is assigned to its quantity by the label before the value")
  func wrongValues() throws {
    let values = try Self.guessed(["temperature 404.47 C, pressure 178900.0 Pa, humidity 4193.9 %"])
    #expect(values == [.temperature: 404.47, .pressure: 178_900, .humidity: 4193.9])
  }

  @Test(
    "output without a clear value is rejected with a message that recommends --match",
    arguments: [
      (["temp 18.6 C, other temp 18.7 C"], "ambiguous temperature"),
      (["hello"], "no number"), (["count 7"], "no number"),
    ])
  func ambiguous(_ lines: [String], _ message: String) {
    let error = #expect(throws: OutputError.self) {
      try FormatInference(lines, truth: Self.truth)
    }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("--match") == true)
  }

  @Test("in JSON a member next to a value can state its unit, also of a value that is far off")
  func unitMembers() throws {
    let line =
      "{\"temperature_unit\": \"C\", \"temperature\": 1863.0, \"pressure\": 1222.1, \"pressure_unit\": \"mbar\"}"
    #expect(try Self.guessed([line]) == [.temperature: 1863, .pressure: 122_210])
  }

  @Test("the header of a table names its columns and units, also of a value that is far off")
  func headers() throws {
    let lines = ["time,temperature_c,pressure_pa,humidity_rh", "12:00:01,18.63,122214.4,42.60"]
    let values = try Self.guessed(lines)
    #expect(values == [.temperature: 18.63, .pressure: 122_214.4, .humidity: 42.6])
  }

  @Test("labels that end in the same word are distinguished by the words before that word")
  func sameLastWord() throws {
    let lines = ["temperature is 18.63C", "pressure is 1009.37hPa", "humidity is 42.60%"]
    for lines in [lines, [lines.joined(separator: " / ")]] {
      let source = try PatternSource(try FormatInference(lines, truth: Self.truth).patterns)
      let found = lines.flatMap { source.values(in: $0) }
      #expect(found.map(\.text).sorted() == ["1009.37 hPa", "18.63 C", "42.60 %"])
    }
  }

  @Test(
    "a short label such as 'P=' is not read as the unit of the number before the label",
    arguments: [
      "T=18.63 P=1009.37 RH=42.60", "P=1009.37 T=18.63 RH=42.60", "P: 1009.37 T: 18.63 RH: 42.60",
    ])
  func nextLabel(_ line: String) throws {
    let found = try Self.guessed([line])
    #expect(found == [.temperature: 18.63, .pressure: 100_937, .humidity: 42.6])
  }

  @Test(
    "symbols and words of other languages name the humidity and the pressure",
    arguments: [
      "T=18.63 p=1009.37 U=42.60 %", "T 18.63 C, p 1009.37 hPa, RF 42.6 %",
      "T: 18.63 C, Luftdruck: 1009.37 hPa, Luftfeuchte: 42.6 %",
      "temperatura 18.63, pressao 1009.37, umidade 42.6", "T 18.63 P 1009.37 UR 42.6%",
    ])
  func otherLanguages(_ line: String) throws {
    #expect(
      try Self.guessed([line]) == [.temperature: 18.63, .pressure: 100_937, .humidity: 42.6])
  }

  @Test("U is the humidity only in %: a voltage stays unknown")
  func voltage() throws {
    let found = try Self.guessed(["T=18.63 p=1009.37 RH=42.60 % U=3.30 V"])
    #expect(found == [.temperature: 18.63, .pressure: 100_937, .humidity: 42.6])
  }

  @Test(
    "format inference rejects a number with a comma; a user's regular expression accepts it",
    arguments: [
      "Temp: 18,63 C", "Pressure: 1,009.37 hPa", "Temperature: 18.63 C Pressure: 1,009.37 hPa",
      "Temperatur: 18,63 °C, Luftdruck: 1009,37 hPa, Feuchte: 42,60 %",
    ])
  func commas(_ line: String) throws {
    let error = #expect(throws: OutputError.self) {
      try FormatInference([line], truth: Self.truth)
    }
    #expect(error?.message.contains("--match") == true, "\(error?.message ?? "")")
    let source = try PatternSource([#"(?<temperature_c>\d+,\d+) C|(?<pressure_hpa>[\d.,]+) hPa"#])
    let values = source.values(in: "18,63 C 1,009.37 hPa")
    #expect(values.map(\.value) == [18.63, 100_937])
    #expect(values[0].digit == 0.01)
  }

  @Test("if the first reading is wrong, the units are inferred from the last reading")
  func firstReading() throws {
    let lines = ["T 22.97 P 649.54 H 73.10", "T 18.63 P 1009.37 H 42.60"]
    #expect(try Self.guessed(lines)[.pressure] == 100_937)
  }

  @Test("a wrong value without a unit is rejected; no unit is guessed to make the value fit")
  func madeUpUnits() {
    let error = #expect(throws: OutputError.self) {
      try FormatInference(["Temp: 18.63 Pressure: 754.1 Humidity: 42.6"], truth: Self.truth)
    }
    #expect(error?.message.contains("754.1") == true, "\(error?.message ?? "")")
  }

  @Test("an inferred format parses lines with other values, missing values and nan")
  func laterLines() throws {
    let guess = try FormatInference(["T: 18.63 C  P: 1009.37 hPa  H: 42.60 %"], truth: Self.truth)
    let source = try PatternSource(guess.patterns)
    let cold = source.values(in: "T: -39.1 C  P: 300.4 hPa")
    #expect(cold.map(\.text) == ["-39.1 C", "300.4 hPa"])
    let none = source.values(in: "T: nan C  P: 1009.40 hPa  H: NaN %")
    #expect(none.map { $0.value == nil } == [true, false, true])
  }

  @Test("named groups of a regular expression specify quantities and units")
  func patterns() throws {
    let source = try PatternSource([
      #"(?<temperature_f>[\d.]+)F"#, #"(?<pressure_inhg>[\d.]+)in"#, #"rh (?<humidity>\d+)"#,
    ])
    let values = source.values(in: "65.5F 29.81in rh 43")
    #expect(abs(try #require(values[0].value) - 18.61) < 0.01)
    #expect(abs(try #require(values[1].value) - 100_948) < 10)
    #expect(values[2].value == 43 && values[2].digit == 1)
    #expect(abs(values[0].digit - 0.1 * 5 / 9) < 1e-9)
  }

  @Test(
    "an invalid regular expression is rejected",
    arguments: ["(?<temperature_c>", "no groups", "(?<temperature_x>.*)", "(?<altitude>.*)"])
  func badPatterns(_ pattern: String) {
    #expect(throws: OutputError.self) { try OutputForm.patterns([pattern]).check() }
  }

  @Test("JSON values are read by their paths, from one line or from an object over several lines")
  func json() throws {
    let names = "temperature_c=air.temp,pressure_hpa=values.1,humidity=rh"
    let source = try OutputForm.json(names).source()
    let line = #"{"air":{"temp":18.63},"values":[7,1009.37],"rh":"42.6"}"#
    #expect(source.values(in: line).map(\.value) == [18.63, 100_937, 42.6])
    #expect(source.values(in: "starting").isEmpty)
    let wide = try OutputForm.json("temperature=t").source()
    #expect(wide.values(in: "{").isEmpty && wide.values(in: "\"t\": 1.5").isEmpty)
    #expect(wide.values(in: "}").map(\.value) == [1.5])
    #expect(wide.values(in: "{\"t\": null}").map(\.value) == [nil])
    for bad in ["", "temp=x", "temperature_c", "altitude=h"] {
      #expect(throws: OutputError.self) { try OutputForm.json(bad).check() }
    }
  }

  @Test("table columns are selected by header or by number")
  func csv() throws {
    let named = try OutputForm.csv("temperature_c=T,pressure_pa=P").source()
    #expect(named.values(in: "time;T;P").isEmpty)
    #expect(named.values(in: "1;18.63;100937").map(\.value) == [18.63, 100_937])
    let counted = try OutputForm.csv("humidity=3,temperature_c=1").source()
    #expect(counted.values(in: "18.63, 1009.37, 42.6").map(\.value) == [42.6, 18.63])
    #expect(counted.values(in: "18.63").map(\.value) == [18.63])
  }

  @Test("a repeated quantity starts the next reading")
  func assembly() throws {
    let unit = try #require(Measurand.air.unit(named: "temperature"))
    let damp = try #require(Measurand.air.unit(named: "humidity"))
    var assembly = ReadingAssembly()
    assembly.take([ShownValue("1", unit), ShownValue("2", damp), ShownValue("3", unit)])
    #expect(assembly.readings.count == 1)
    assembly.quantities = [.temperature, .humidity]
    assembly.take([ShownValue("4", damp)])
    #expect(assembly.readings.count == 2, "a reading with everything is whole")
    assembly.finish()
    #expect(assembly.readings.count == 2)
  }

  @Test("output with colour codes, carriage returns and partial lines is converted to plain lines")
  func plainText() {
    var text = PlainText()
    #expect(text.take(Array("\u{1B}[31mT: 1".utf8)).isEmpty)
    #expect(text.take(Array("8\u{1B}[0m C\r\n\nnext\r".utf8)) == ["T: 18 C", "next"])
    #expect(text.take(Array("end".utf8)).isEmpty)
    #expect(text.finish() == ["end"])
    #expect(text.finish().isEmpty)
  }
}
