import BME280Model
import Diagnosis
import I2C
import I2CTrace
import Testing

/// Tests the detection of protocol errors, and that unusual but correct programs have none.
struct ConversationTests {
  /// Parses transfers, one per line: writes and reads in hexadecimal, each with its time in milliseconds.
  ///
  /// `w` precedes bytes written, `r` bytes read, `x` a message that was not acknowledged; messages of one transfer are
  /// separated by commas.
  static func transfers(_ lines: [(Double, String)]) -> [TracedTransfer] {
    lines.map { milliseconds, text in
      var messages: [TracedMessage] = []
      var error: I2CError?
      for (index, part) in text.split(separator: ",").enumerated() {
        let bytes = part.dropFirst().split(separator: " ").compactMap { UInt8($0, radix: 16) }
        switch part.first {
        case "r": messages.append(TracedMessage(.read(bytes.count, from: 0x76), bytes))
        case "x":
          error = I2CError(.addressNack, message: index, errno: .enxio)
          messages.append(TracedMessage(.write(bytes.count, to: 0x76), bytes))
        case "y":
          error = I2CError(.addressNack, message: index, errno: .enxio)
          messages.append(TracedMessage(.read(Int(bytes.first ?? 1), from: 0x76), []))
        default: messages.append(TracedMessage(.write(bytes.count, to: 0x76), bytes))
        }
      }
      return TracedTransfer(
        time: UInt64(milliseconds * 1e6), duration: 100_000, bus: 1, messages: messages,
        error: error)
    }
  }

  static func detected(
    _ lines: [(Double, String)], hasTimes: Bool = true
  ) -> [String] {
    Evidence(transfers(lines), hasTimes: hasTimes).findings.map { $0.classID ?? "bus" }
  }

  static let words = (0..<24).map { _ in " 6b" }.joined()
  /// The usual start of a program: the id, the calibration, ctrl_hum.
  static let start: [(Double, String)] = [
    (1, "wd0,r60"), (2, "w88,r" + words), (3, "wa1,r4b"), (4, "we1,r6e 01 00 13 05 00 1e"),
    (5, "wf2 01"),
  ]
  static let data = "r51 00 00 81 00 00 6c 00"

  @Test(
    "a part that may be one of several chips is reported with all their names",
    arguments: [
      (["wd0,r60"], "bme280"), (["wd0,r58"], "bmp280"), ([], "bmp280 or bme280"),
      (["we1,r6e 01 00 13 05 00 1e"], "bme280"),
    ])
  func name(_ reads: [String], _ name: String) {
    let lines = (["w88,r" + Self.words] + reads).enumerated().map { (Double($0), $1) }
    #expect(Evidence(Self.transfers(lines)).part.name == name)
    #expect(Evidence(Self.transfers([(1, "wf4 25")])).part.name == "an unidentified part")
  }

  @Test(
    "a program that reads only the temperature needs only the temperature's calibration words",
    arguments: [
      ("w88,r6b 6b 6b 6b 6b 6b", ["wfa,r81 00 00"], []),
      ("w88,r6b 6b 6b 6b", ["wfa,r81 00 00"], ["B10"]),
      ("w88,r6b 6b 6b 6b 6b 6b", ["wf7,r51 00 00 81 00 00"], ["B10"]),
      ("w88,r6b 6b 6b 6b 6b 6b 6b 6b", ["wfa,r81 00 00"], ["B10"]),
    ])
  func temperatureAlone(_ calibration: String, _ data: [String], _ classes: [String]) {
    let start: [(Double, String)] = [(1, "wd0,r58"), (2, calibration), (3, "wf4 25")]
    let lines = start + data.map { (30, $0) }
    #expect(Self.detected(lines) == classes)
  }

  @Test("a program that polls the mode bits for the end of a measurement is correct")
  func modeBits() {
    let polled =
      Self.start + [(10, "wf4 25"), (14, "wf4,r25"), (17, "wf4,r24"), (17.2, "wf7,\(Self.data)")]
    #expect(Self.detected(polled).isEmpty)
    let blind = Self.start + [(10, "wf4 25"), (17.2, "wf7,\(Self.data)")]
    #expect(Self.detected(blind) == ["B26"], "without the poll it is too early")
  }

  @Test("reading the temperature again to compensate another quantity is not a repeated reading")
  func temperatureAgain() {
    let once =
      Self.start + [
        (10, "wf4 25"), (30, "wfa,r81 00 00"), (31, "wfa,r81 00 00"), (32, "wf7,r51 00 00"),
        (33, "wfa,r81 00 00"), (34, "wfd,r6c 00"),
      ]
    #expect(Self.detected(once).isEmpty)
    let frozen = once + [(1030, "wfa,r81 00 00"), (1031, "wf7,r51 00 00"), (2030, "wfa,r81 00 00")]
    #expect(Self.detected(frozen).contains("B27"))
  }

  @Test("a register address after register-data pairs is not a block write if a read follows")
  func pairsAndPointer() {
    let right: [(Double, String)] = [
      (1, "wd0,r60"), (2, "wf2 01 f4 25 88,r" + Self.words), (3, "wa1,r4b"),
      (4, "we1,r6e 01 00 13 05 00 1e"), (30, "wf7,\(Self.data)"),
    ]
    #expect(Self.detected(right).isEmpty)
    let evidence = Evidence(Self.transfers(right))
    #expect(evidence.part.missingCalibration == 0, "the read begins at 0x88")
    let block = Self.start + [(10, "wf4 25 00"), (30, "wf7,\(Self.data)")]
    #expect(Self.detected(block) == ["B33"], "no read follows")
  }

  @Test("the read after a register address may be a separate transfer (datasheet 6.2.2)")
  func pairsThenRead() {
    let pairs = (2.0, "wf2 01 f4 25 88")
    let rest: [(Double, String)] = [
      (3, "wa1,r4b"), (4, "we1,r6e 01 00 13 05 00 1e"), (30, "wf7,\(Self.data)"),
    ]
    let right = [Self.start[0], pairs, (2.1, "r" + Self.words)] + rest
    #expect(Self.detected(right).isEmpty)
    #expect(Evidence(Self.transfers(right)).part.missingCalibration == 0)
    let refused = [Self.start[0], pairs, (2.1, "y18"), (2.2, "w88,r" + Self.words)] + rest
    #expect(!Self.detected(refused).contains("B33"), "the read was intended, but failed")
    let other = [Self.start[0], pairs, (2.1, "w88,r" + Self.words)] + rest
    #expect(
      Self.detected(other) == ["B33"], "an address is sent again: the byte was intended as a value")
    #expect(Self.detected([Self.start[0], pairs]) == ["B33"], "no transfer follows")
  }

  @Test(
    "humidity that is computed but never enabled is reported",
    arguments: [
      (["wf4 25"], "has not been written"), (["wf2 00", "wf4 25"], "ctrl_hum 0x0"),
      (["wf2 00 f4 25"], "ctrl_hum 0x0"),
    ])
  func humidityOff(_ setup: [String], _ words: String) throws {
    let off = "r51 00 00 81 00 00 80 00"
    let start = Array(Self.start.prefix(4))
    let setup = setup.enumerated().map { (10 + Double($0) / 10, $1) }
    let lines = start + setup + [(30, "wf7,\(off)"), (1030, "wf4 25"), (1060, "wf7,\(off)")]
    let findings = Evidence(Self.transfers(lines)).findings
    #expect(findings.map(\.classID) == ["B29"] && findings.first?.count == 2)
    #expect(findings.first?.sentence.contains(words) == true, "\(findings)")
    let shown = [Observation(temperature: .init(low: 20, high: 30), pressure: nil, humidity: nil)]
    #expect(
      Diagnosis(Evidence(Self.transfers(lines)), shown).evidence.findings.isEmpty,
      "of a program that shows no humidity it is no defect")
    // The same bytes from a part without humidity, or of a program that does not use it.
    let bmp = lines.map { ($0.0, $0.1.replacing("wd0,r60", with: "wd0,r58")) }
    #expect(!Self.detected(bmp).contains("B29"))
    #expect(Self.detected(lines.filter { !$0.1.hasPrefix("we1") }).contains("B29") == false)
  }

  @Test("if humidity is enabled late, only the readings before that are reported")
  func humidityOn() {
    let off = "r51 00 00 81 00 00 80 00"
    let start = Array(Self.start.prefix(4))
    // An earlier program may have enabled it.
    let left =
      start + [(10, "wf4 25"), (30, "wf7,\(Self.data)"), (1030, "wf4 25"), (1060, "wf7,\(off)")]
    #expect(Self.detected(left).isEmpty, "one code among others is a reading")
    let on = Self.start + [(10, "wf4 25"), (30, "wf7,\(off)")]
    #expect(Self.detected(on).isEmpty, "0x8000 is a valid reading if the channel is on")
    let late =
      start + [
        (10, "wf4 25"), (30, "wf7,\(off)"), (40, "wf2 01"), (1030, "wf4 25"),
        (1060, "wf7,\(Self.data)"),
      ]
    #expect(Self.detected(late) == ["B29"], "the first reading has no humidity")
    let pending = start + [(10, "wf4 25"), (20, "wf2 01"), (30, "wf7,\(off)")]
    #expect(Self.detected(pending) == ["B21"], "a pending ctrl_hum is another class")
    let between =
      start + [
        (10, "wf4 25"), (30, "wfa,r81 00 00"), (30.5, "wf7,r51 00 00"), (31, "wf2 01"),
        (32, "wfd,r80 00"),
      ]
    #expect(Self.detected(between) == ["B21"], "also if it is written between two reads")
  }

  @Test("a channel that was skipped before a reset is not reported after the reset")
  func reset() {
    let lines: [(Double, String)] = [(0.5, "wf4,r00"), (0.8, "we0 b6"), (4, "wf3,r00")]
    let after = Self.start.map { ($0.0 + 4, $0.1) } + [(20, "wf4 25"), (40, "wf7,\(Self.data)")]
    #expect(Self.detected(lines + after).isEmpty)
  }

  @Test(
    "a program that continues after a failed read of the calibration is reported")
  func failedCalibration() {
    let measured: [(Double, String)] = [(10, "wf4 25"), (30, "wf7,\(Self.data)")]
    var lines = Self.start
    lines[1].1 = "x88,y18"
    #expect(Self.detected(lines + measured) == ["B35"], "the pointer was not acknowledged")
    lines[1].1 = "w88,y18"
    #expect(Self.detected(lines + measured) == ["B35"], "the read was not acknowledged")
    #expect(Self.detected(lines).isEmpty, "a program that ends there is correct")
    let again = [(2.5, "w88,r" + Self.words)]
    #expect(Self.detected(lines.prefix(2) + again + lines.dropFirst(2) + measured).isEmpty)
  }

  @Test("a read after an unacknowledged register address is detected")
  func refusedPointer() {
    let lines = Self.start + [(10, "wf4 25"), (30, "xf7"), (30.2, Self.data)]
    #expect(Self.detected(lines) == ["B35"])
    let retried = Self.start + [(10, "wf4 25"), (30, "xf7"), (30.2, "wf7"), (30.4, Self.data)]
    #expect(Self.detected(retried).isEmpty)
  }

  @Test("in a trace without times, no timing errors are reported")
  func timeless() {
    let lines = Self.start + [(10, "wf4 25"), (10.1, "wf7,\(Self.data)")]
    #expect(Self.detected(lines) == ["B24"])
    #expect(Self.detected(lines, hasTimes: false).isEmpty)
    let twice = lines + [(10.2, "wf7,\(Self.data)")]
    #expect(Self.detected(twice, hasTimes: false) == ["B27"], "the order is known")
  }

  @Test(
    "config that is written as the second register-data pair of a transfer is recognised",
    arguments: ["wf4 6c f5 a4", "wf5 a4"])
  func filter(_ write: String) {
    #expect(Evidence(Self.transfers(Self.start + [(6, write)])).enablesFilter)
    #expect(!Evidence(Self.transfers(Self.start + [(6, write), (7, "we0 b6")])).enablesFilter)
    #expect(
      !Evidence(Self.transfers(Self.start + [(6, write), (7, "wf4 00 f5 00")])).enablesFilter)
    let read = Self.start + [(6, write), (30, "wf7,\(Self.data)"), (40, "we0 b6")]
    #expect(Evidence(Self.transfers(read)).enablesFilter, "a measurement was read with it")
  }

  @Test(
    "the lag of the filter follows from its coefficient and the shortest time between two triggers",
    arguments: [
      ("wf5 10", "wf4 25", 44.0), ("wf5 04", "wf4 26", 4), ("wf5 00", "wf4 25", 0),
      ("wf5 10", "wf4 27", 0),
    ])
  func filterLag(_ configuration: String, _ trigger: String, _ lag: Double) {
    // The times are in milliseconds.
    let readings = [1000.0, 4000, 6000].flatMap {
      [($0, trigger), ($0 + 20, "wf7,\(Self.data)")]
    }
    let evidence = Evidence(Self.transfers(Self.start + [(6, configuration)] + readings))
    #expect(evidence.filterLag == lag)
    #expect(evidence.filtersPromptly == (lag > 0 || trigger == "wf4 27"))
  }

  @Test("config fields in reserved bits, and settings written to the wrong register, are reported")
  func settings() {
    let measured: [(Double, String)] = [(10, "wf4 25"), (30, "wf7,\(Self.data)")]
    #expect(Self.detected(Self.start + [(6, "wf5 0a")] + measured) == ["B44"])
    #expect(Self.detected(Self.start + [(6, "wf5 a8")] + measured).isEmpty)
    let other: [(Double, String)] = [(6, "wf4 01"), (20, "wf4 25"), (40, "wf7,\(Self.data)")]
    #expect(Self.detected(Array(Self.start.prefix(4)) + other).contains("B45"))
    // Only a mode, and the humidity setting later: all in the correct registers.
    let later: [(Double, String)] = [(6, "wf4 03"), (8, "wf2 01"), (9, "wf4 27")]
    let detected = Self.detected(Array(Self.start.prefix(4)) + later + [(40, "wf7,\(Self.data)")])
    #expect(!detected.contains("B45"))
  }

  @Test("a config write is marked if the chip's mode is unknown at that time")
  func blindly() {
    let start = Array(Self.start.prefix(4))
    let config = (6.0, "wf5 10")
    #expect(Evidence(Self.transfers(start + [config])).configuresBeforeMode)
    #expect(!Evidence(Self.transfers(start + [(5, "wf4 24"), config])).configuresBeforeMode)
    #expect(!Evidence(Self.transfers(start + [(5, "we0 b6"), config])).configuresBeforeMode)
  }

  @Test("data registers that are read one by one, in any order, form one reading")
  func registerWise() {
    let each = [
      "wfd,r6c", "wfe,r00", "wf7,r51", "wf8,r00", "wf9,r00", "wfa,r81", "wfb,r00", "wfc,r00",
    ]
    let lines =
      Self.start + [(10, "wf4 25")]
      + each.enumerated().map { (30 + Double($0), $1) }
      + [(1000, "wf4 25")] + each.enumerated().map { (1030 + Double($0), $1) }
    let evidence = Evidence(Self.transfers(lines))
    #expect(evidence.data.count == 2)
    let text = DiagnosisReport.text(Diagnosis(evidence, []), file: "x")
    #expect(!text.contains("649.5"), "no line of power-on values: \(text)")
    let alone = Evidence(Self.transfers(Self.start + [(10, "wf4 25"), (30, "wfa,r81 00 00")]))
    let line = DiagnosisReport.text(Diagnosis(alone, []), file: "x").split(separator: "\n")
      .first { $0.contains(" s   ") }
    #expect(line?.contains("hPa") == false && line?.contains(" C") == true, "\(line ?? "")")
  }
}
