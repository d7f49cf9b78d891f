import I2C
import I2CTrace
import Testing

@testable import DriverDefects
@testable import DriverDiagnosis

/// What is heard in a conversation, and what is not: programs that do right in their own way.
struct ConversationTests {
  /// A conversation, one transfer a line: writes and reads in hexadecimal, each with its time in milliseconds.
  ///
  /// `w` stands before bytes that are written, `r` before bytes that were read, `x` for a message that was not
  /// acknowledged; messages of one transfer are separated by commas.
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

  static func heard(
    _ lines: [(Double, String)], hasTimes: Bool = true
  ) -> [String] {
    Evidence(transfers(lines), hasTimes: hasTimes).findings.map { $0.classID ?? "bus" }
  }

  static let words = (0..<24).map { _ in " 6b" }.joined()
  /// A start as every program makes it: the id, the calibration, ctrl_hum.
  static let start: [(Double, String)] = [
    (1, "wd0,r60"), (2, "w88,r" + words), (3, "wa1,r4b"), (4, "we1,r6e 01 00 13 05 00 1e"),
    (5, "wf2 01"),
  ]
  static let data = "r51 00 00 81 00 00 6c 00"

  @Test(
    "a part is called what it can be",
    arguments: [
      (["wd0,r60"], "bme280"), (["wd0,r58"], "bmp280"), ([], "bmp280 or bme280"),
      (["we1,r6e 01 00 13 05 00 1e"], "bme280"),
    ])
  func name(_ reads: [String], _ name: String) {
    let lines = (["w88,r" + Self.words] + reads).enumerated().map { (Double($0), $1) }
    #expect(Evidence(Self.transfers(lines)).part.name == name)
    #expect(Evidence(Self.transfers([(1, "wf4 25")])).part.name == "a part without a name")
  }

  @Test(
    "who takes the temperature alone needs only its calibration",
    arguments: [
      ("w88,r6b 6b 6b 6b 6b 6b", ["wfa,r81 00 00"], []),
      ("w88,r6b 6b 6b 6b", ["wfa,r81 00 00"], ["B10"]),
      ("w88,r6b 6b 6b 6b 6b 6b", ["wf7,r51 00 00 81 00 00"], ["B10"]),
      ("w88,r6b 6b 6b 6b 6b 6b 6b 6b", ["wfa,r81 00 00"], ["B10"]),
    ])
  func temperatureAlone(_ calibration: String, _ data: [String], _ classes: [String]) {
    let start: [(Double, String)] = [(1, "wd0,r58"), (2, calibration), (3, "wf4 25")]
    let lines = start + data.map { (30, $0) }
    #expect(Self.heard(lines) == classes)
  }

  @Test("the end of a measurement may be taken from the mode bits")
  func modeBits() {
    let polled =
      Self.start + [(10, "wf4 25"), (14, "wf4,r25"), (17, "wf4,r24"), (17.2, "wf7,\(Self.data)")]
    #expect(Self.heard(polled).isEmpty)
    let blind = Self.start + [(10, "wf4 25"), (17.2, "wf7,\(Self.data)")]
    #expect(Self.heard(blind) == ["B26"], "without the look it is too early")
  }

  @Test("the temperature read again for the other two is no repetition")
  func temperatureAgain() {
    let once =
      Self.start + [
        (10, "wf4 25"), (30, "wfa,r81 00 00"), (31, "wfa,r81 00 00"), (32, "wf7,r51 00 00"),
        (33, "wfa,r81 00 00"), (34, "wfd,r6c 00"),
      ]
    #expect(Self.heard(once).isEmpty)
    let frozen = once + [(1030, "wfa,r81 00 00"), (1031, "wf7,r51 00 00"), (2030, "wfa,r81 00 00")]
    #expect(Self.heard(frozen).contains("B27"))
  }

  @Test("a pointer behind pairs of registers and values is no block where a read follows")
  func pairsAndPointer() {
    let right: [(Double, String)] = [
      (1, "wd0,r60"), (2, "wf2 01 f4 25 88,r" + Self.words), (3, "wa1,r4b"),
      (4, "we1,r6e 01 00 13 05 00 1e"), (30, "wf7,\(Self.data)"),
    ]
    #expect(Self.heard(right).isEmpty)
    let evidence = Evidence(Self.transfers(right))
    #expect(evidence.part.missingCalibration == 0, "the read begins at 0x88")
    let block = Self.start + [(10, "wf4 25 00"), (30, "wf7,\(Self.data)")]
    #expect(Self.heard(block) == ["B33"], "nothing is read behind it")
  }

  @Test("an address behind pairs may be read from in a transfer of its own, as 6.2.2 says")
  func pairsThenRead() {
    let pairs = (2.0, "wf2 01 f4 25 88")
    let rest: [(Double, String)] = [
      (3, "wa1,r4b"), (4, "we1,r6e 01 00 13 05 00 1e"), (30, "wf7,\(Self.data)"),
    ]
    let right = [Self.start[0], pairs, (2.1, "r" + Self.words)] + rest
    #expect(Self.heard(right).isEmpty)
    #expect(Evidence(Self.transfers(right)).part.missingCalibration == 0)
    let refused = [Self.start[0], pairs, (2.1, "y18"), (2.2, "w88,r" + Self.words)] + rest
    #expect(!Self.heard(refused).contains("B33"), "the read was meant, and failed")
    let other = [Self.start[0], pairs, (2.1, "w88,r" + Self.words)] + rest
    #expect(Self.heard(other) == ["B33"], "an address is sent again: the byte was meant as a value")
    #expect(Self.heard([Self.start[0], pairs]) == ["B33"], "nothing comes behind it")
  }

  @Test(
    "humidity that is computed and never switched on is told",
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
    // The same bytes from a part without humidity, or of a program that knows nothing of it.
    let bmp = lines.map { ($0.0, $0.1.replacing("wd0,r60", with: "wd0,r58")) }
    #expect(!Self.heard(bmp).contains("B29"))
    #expect(Self.heard(lines.filter { !$0.1.hasPrefix("we1") }).contains("B29") == false)
  }

  @Test("humidity that is on, or came on later, is told of where it was off alone")
  func humidityOn() {
    let off = "r51 00 00 81 00 00 80 00"
    let start = Array(Self.start.prefix(4))
    // An earlier program may have left it on.
    let left =
      start + [(10, "wf4 25"), (30, "wf7,\(Self.data)"), (1030, "wf4 25"), (1060, "wf7,\(off)")]
    #expect(Self.heard(left).isEmpty, "one code among others is a reading")
    let on = Self.start + [(10, "wf4 25"), (30, "wf7,\(off)")]
    #expect(Self.heard(on).isEmpty, "0x8000 is a legal reading where it is on")
    let late =
      start + [
        (10, "wf4 25"), (30, "wf7,\(off)"), (40, "wf2 01"), (1030, "wf4 25"),
        (1060, "wf7,\(Self.data)"),
      ]
    #expect(Self.heard(late) == ["B29"], "the first reading has none")
    let pending = start + [(10, "wf4 25"), (20, "wf2 01"), (30, "wf7,\(off)")]
    #expect(Self.heard(pending) == ["B21"], "that it waits for ctrl_meas is another class")
    let between =
      start + [
        (10, "wf4 25"), (30, "wfa,r81 00 00"), (30.5, "wf7,r51 00 00"), (31, "wf2 01"),
        (32, "wfd,r80 00"),
      ]
    #expect(Self.heard(between) == ["B21"], "also where it is written between two reads")
  }

  @Test("what was skipped before a reset is not told of after it")
  func reset() {
    let lines: [(Double, String)] = [(0.5, "wf4,r00"), (0.8, "we0 b6"), (4, "wf3,r00")]
    let after = Self.start.map { ($0.0 + 4, $0.1) } + [(20, "wf4 25"), (40, "wf7,\(Self.data)")]
    #expect(Self.heard(lines + after).isEmpty)
  }

  @Test(
    "a read of the calibration that fails is told as such, where the program goes on without it")
  func failedCalibration() {
    let measured: [(Double, String)] = [(10, "wf4 25"), (30, "wf7,\(Self.data)")]
    var lines = Self.start
    lines[1].1 = "x88,y18"
    #expect(Self.heard(lines + measured) == ["B35"], "the pointer was not acknowledged")
    lines[1].1 = "w88,y18"
    #expect(Self.heard(lines + measured) == ["B35"], "the read was not acknowledged")
    #expect(Self.heard(lines).isEmpty, "a program that ends there has done right")
    let again = [(2.5, "w88,r" + Self.words)]
    #expect(Self.heard(lines.prefix(2) + again + lines.dropFirst(2) + measured).isEmpty)
  }

  @Test("a read behind a register address that nobody took is heard")
  func refusedPointer() {
    let lines = Self.start + [(10, "wf4 25"), (30, "xf7"), (30.2, Self.data)]
    #expect(Self.heard(lines) == ["B35"])
    let retried = Self.start + [(10, "wf4 25"), (30, "xf7"), (30.2, "wf7"), (30.4, Self.data)]
    #expect(Self.heard(retried).isEmpty)
  }

  @Test("without times nothing is said of time")
  func timeless() {
    let lines = Self.start + [(10, "wf4 25"), (10.1, "wf7,\(Self.data)")]
    #expect(Self.heard(lines) == ["B24"])
    #expect(Self.heard(lines, hasTimes: false).isEmpty)
    let twice = lines + [(10.2, "wf7,\(Self.data)")]
    #expect(Self.heard(twice, hasTimes: false) == ["B27"], "the order is known")
  }

  @Test("config written as a pair behind another counts", arguments: ["wf4 6c f5 a4", "wf5 a4"])
  func filter(_ write: String) {
    #expect(Evidence(Self.transfers(Self.start + [(6, write)])).wantsFilter)
    #expect(!Evidence(Self.transfers(Self.start + [(6, write), (7, "we0 b6")])).wantsFilter)
    #expect(!Evidence(Self.transfers(Self.start + [(6, write), (7, "wf4 00 f5 00")])).wantsFilter)
  }

  @Test("fields of config that are shifted into reserved bits, and a setting in another register")
  func settings() {
    let measured: [(Double, String)] = [(10, "wf4 25"), (30, "wf7,\(Self.data)")]
    #expect(Self.heard(Self.start + [(6, "wf5 0a")] + measured) == ["B44"])
    #expect(Self.heard(Self.start + [(6, "wf5 a8")] + measured).isEmpty)
    let other: [(Double, String)] = [(6, "wf4 01"), (20, "wf4 25"), (40, "wf7,\(Self.data)")]
    #expect(Self.heard(Array(Self.start.prefix(4)) + other).contains("B45"))
    // A mode alone, and the humidity's setting later: all in their own registers.
    let later: [(Double, String)] = [(6, "wf4 03"), (8, "wf2 01"), (9, "wf4 27")]
    let heard = Self.heard(Array(Self.start.prefix(4)) + later + [(40, "wf7,\(Self.data)")])
    #expect(!heard.contains("B45"))
  }

  @Test("config written before the mode can be known is told apart")
  func blindly() {
    let start = Array(Self.start.prefix(4))
    let config = (6.0, "wf5 10")
    #expect(Evidence(Self.transfers(start + [config])).configuresBlindly)
    #expect(!Evidence(Self.transfers(start + [(5, "wf4 24"), config])).configuresBlindly)
    #expect(!Evidence(Self.transfers(start + [(5, "we0 b6"), config])).configuresBlindly)
  }

  @Test("data read register by register make one reading, whatever the order")
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
