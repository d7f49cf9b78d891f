import BME280
import Bench
import Bridges
import Diagnosis
import Foundation
import I2C
import Parts
import Quantities
import Reports
import Rigs
import Runs
import Support
import TestSupport
import Testing
import VirtualI2C

/// Boards in rigs, requests between cycles, altitude, and comparisons with the sensor.
struct BridgeRigTests {
  static func rig(_ bus: String, _ pipeline: String = "", duration: String = "2h") throws -> Rig {
    try Rig(
      text: """
        name: bridge
        duration: \(duration)
        buses:
          - number: 1
            \(bus)
            devices:
              - {address: 0x76, model: bme280, calibration: ../fixtures/calibrations/periph-i2c.yaml}
        pipeline: {samples: 2, sample_every: 10s, cycle: 30min\(pipeline)}
        """, file: Fixtures.root.appending(path: "rigs/rig.yaml").path)
  }

  /// The events of a run.
  static func events(_ rig: Rig) throws -> (events: [RunEvent], verdict: Verdict) {
    var events: [RunEvent] = []
    let verdict = try RigRun(rig).run { events.append($0) }
    return (events, verdict)
  }

  @Test(
    "the rigs of the thesis meet their expectations",
    arguments: [
      "thesis-automat", "thesis-bug", "thesis-jacket", "thesis-jacket-reduced", "thesis-tables",
    ])
  func thesis(_ name: String) throws {
    let rig = try Rig(path: Fixtures.root.appending(path: "rigs/\(name).yaml").path)
    #expect(!rig.expectations.isEmpty)
    let verdict = try Self.events(rig).verdict
    #expect(verdict.passed, "\(verdict.findings.filter { !$0.passed })")
  }

  @Test(
    "a driver that can query the read limit splits its reads; any other driver first gets an error")
  func limits() throws {
    for (keys, errors) in [
      ("kind: automat", 0), ("kind: automat, past_limit: error, tells_limit: false", 1),
    ] {
      let bench = try Bench(Self.rig("bridge: {\(keys)}"))
      let driver = BME280Driver(adapter: bench.buses[0].adapter, clock: bench.clock, address: 0x76)
      try driver.start()
      #expect(bench.buses[0].meter.errors == errors, "\(keys)")
    }
  }

  @Test("a driver that does not know the bridge's read limit gets a timeout instead of data")
  func silence() throws {
    let bench = try Bench(Self.rig("bridge: {kind: automat, tells_limit: false, time_out: 1s}"))
    let driver = BME280Driver(adapter: bench.buses[0].adapter, clock: bench.clock, address: 0x76)
    let error = #expect(throws: BME280DriverError.self) { try driver.start() }
    #expect(error?.cause == .bus(I2CError(.timeOut, message: 1, errno: .etimedout)))
    #expect(bench.clock.nanoseconds > 1_000_000_000)
  }

  @Test("the samples during an outage are lost, and the cycles continue")
  func outage() throws {
    let rig = try Self.rig("bridge: {kind: automat, outages: [{at: 29min, for: 2min}]}")
    let (events, _) = try Self.events(rig)
    let errors = events.filter { if case .error = $0 { true } else { false } }
    let readings = events.filter { if case .reading = $0 { true } else { false } }
    #expect(errors.count == 2)
    #expect(readings.count == 6)
  }

  @Test(
    "an injected late response, lost frame or repeated frame of a bridge fires once",
    arguments: [
      ("kind: bridge-lost", 1), ("kind: bridge-late, for: 3s", 1),
      ("kind: bridge-late, for: 1s", 0),
      ("kind: bridge-repeated", 0),
    ])
  func bridgeFaults(_ fault: String, _ errors: Int) throws {
    var rig = try Self.rig("bridge: {kind: automat}")
    try rig.plan(fault: "at: 29min, \(fault)")
    let (events, _) = try Self.events(rig)
    let fired = events.compactMap { event -> Int? in
      if case .fault(let report) = event { report.count } else { nil }
    }
    #expect(fired == [1])
    #expect(events.count { if case .error = $0 { true } else { false } } == errors)
  }

  @Test(
    "a run fails if a bridge fault or a fault that corrupts a copied calibration does not fire",
    arguments: [
      ("kind: bridge-lost, at: 29min", true), ("kind: bridge-late, for: 1s", true),
      ("kind: bridge-repeated", true), ("kind: bridge-lost, at: 119min", false),
      ("kind: bridge-late, for: 1s, at: 119min", false),
      ("kind: bridge-repeated, at: 119min", false),
      // A part copies its calibration only at a restart.
      ("kind: wrong-calibration, at: 31min", false),
      ("kind: wrong-calibration, at: 31min}\n  - {kind: power-loss, at: 45min", true),
    ])
  func unfired(_ fault: String, _ passes: Bool) throws {
    let rig = try Rig(
      text: """
        name: bridge
        duration: 2h
        buses:
          - number: 1
            bridge: automat
            devices:
              - {address: 0x76, model: bme280, calibration: ../fixtures/calibrations/periph-i2c.yaml}
        pipeline: {samples: 2, sample_every: 10s, cycle: 30min}
        faults:
          - {\(fault)}
        expect:
          - {that: faults, all: fired}
        """, file: Fixtures.root.appending(path: "rigs/rig.yaml").path)
    let verdict = try Self.events(rig).verdict
    #expect(verdict.passed == passes, "\(verdict.findings)")
  }

  @Test("the board executes a repeated frame twice")
  func repeated() throws {
    func commands(_ faults: [String]) throws -> Int {
      var rig = try Self.rig("bridge: {kind: automat}")
      for fault in faults { try rig.plan(fault: fault) }
      return try Self.events(rig).events.reduce(0) { sum, event in
        if case .board(let report) = event { sum + report.commands } else { sum }
      }
    }
    #expect(try commands(["kind: bridge-repeated, count: 3"]) == commands([]) + 3)
  }

  @Test("a bridge fault needs a bridge, and rejects the keys that select messages")
  func noBridge() throws {
    var rig = try Self.rig("adapter: {frequency: 100kHz}")
    let error = #expect(throws: Failure.self) { try rig.plan(fault: "kind: bridge-lost") }
    #expect(error?.messages.first?.contains("bus 1 has no bridge") == true)
    #expect(throws: Failure.self) {
      try rig.plan(fault: "kind: bridge-lost, register: 0xF7")
    }
  }

  @Test("the key 'personality' sets the properties of an adapter, and other keys override them")
  func personality() throws {
    let plain = try Self.rig("adapter: {personality: cp2112}").buses[0]
    #expect(plain.adapter.quirks.maxReadLength == 512 && plain.adapter.quirks.noZeroLength)
    #expect(
      plain.adapter.errnoPolicy.addressNack == .enxio && plain.adapter.stretchLimit == 100_000_000)
    let bent = try Self.rig(
      "adapter: {personality: raspberry-pi-5, nack: EIO, quirks: {max_read: 8}, stretch_limit: 1ms}"
    ).buses[0]
    #expect(
      bent.adapter.errnoPolicy.addressNack == .eio
        && bent.adapter.errnoPolicy.dataNack == .eremoteio)
    #expect(bent.adapter.quirks.maxReadLength == 8 && bent.adapter.quirks.noZeroLength)
    #expect(bent.adapter.stretchLimit == 1_000_000)
  }

  @Test("the board reports its commands, losses and battery")
  func board() throws {
    let rig = try Self.rig("bridge: {kind: automat, battery_life: 4h}")
    let reports = try Self.events(rig).events.compactMap { event -> RunEvent.BoardReport? in
      if case .board(let report) = event { report } else { nil }
    }
    #expect(reports.count == 1)
    #expect(reports[0].battery == 50)
    #expect(reports[0].commands > 8 * 3)
    #expect(reports[0].lost == 0 && reports[0].refused == 0)
  }

  /// The report on the board of a rig at the end of the run.
  static func sentences(_ bridge: String) throws -> String {
    try events(rig("bridge: {kind: automat, \(bridge)}")).events.compactMap { event in
      if case .board(let report) = event { report.sentences.joined(separator: "\n") } else { nil }
    }.joined()
  }

  @Test(
    "a run reports why its board could not be reached: out of range, not advertising, or flat",
    arguments: [
      ("outages: [{at: 29min, for: 2min}]", "(2 out of range)"),
      ("silences: [{at: 29min, for: 2min}]", "(2 not advertising)"),
      ("battery_life: 29min", " its battery is flat)"),
    ])
  func absences(_ bridge: String, _ reason: String) throws {
    let text = try Self.sentences(bridge)
    #expect(text.contains(reason), "\(text)")
  }

  @Test(
    "the battery report gives the battery life awake and asleep, and lists the assumptions")
  func power() throws {
    let text = try Self.sentences("power: {capacity_mah: 220}")
    for words in [
      "the battery delivered ", " awake, ", " asleep between radio events",
      "assumed, as the board publishes no currents: a CC2541",
      "from that chip's data sheet (SWRS110D, page 4): 6.7 mA awake at least",
    ] { #expect(text.contains(words), "\(words): \(text)") }
    #expect(text.contains(/lasts \d\d\.\d h with its/) && text.contains(/, \d+\.\d days asleep/))
  }

  @Test(
    "tables are printed as in the thesis: a row per hour, columns for board, sensor and station"
  )
  func tables() throws {
    let rig = try Rig(path: Fixtures.root.appending(path: "rigs/thesis-tables.yaml").path)
    var text = ""
    let report = TextReport(style: Style(isColoured: false)) { text += $0 }
    try RigRun(rig).run { report.take($0) }
    let lines = text.split(separator: "\n").map(String.init)
    for (head, columns, rows) in [
      (
        "temperature, °C: averages of 5 samples", ["board", "sensor", "with defects", "station"],
        [["26.01", "26.21", "26.21", "26.21"], ["25.47", "25.67"], ["26.69", "26.89"]]
      ),
      (
        "pressure, hPa: averages of 5 samples", ["sensor", "with defects", "station"],
        [["1012.02", "1191.54", "1012.00"], ["1012.02", "1197.75"], ["1013.01", "1184.47"]]
      ),
    ] {
      let start = try #require(lines.firstIndex { $0.contains(head) }, "\(text)")
      #expect(columns.allSatisfy(lines[start + 1].contains), "\(lines[start + 1])")
      for (index, row) in rows.enumerated() {
        let line = lines[start + 2 + index]
        #expect(line.contains("\(index):00:00.8") && row.allSatisfy(line.contains), "\(line)")
      }
    }
  }

  @Test("a request starts an additional cycle and does not move the regular cycles")
  func requests() throws {
    func starts(_ more: String) throws -> [UInt64] {
      try Self.events(Self.rig("bridge: automat", more)).events.compactMap { event in
        if case .average(let average) = event { average.start / 1_000_000_000 } else { nil }
      }
    }
    let plain = try starts("")
    let asked = try starts(", requests: [40min, 41min]")
    #expect(plain.count == 4)
    #expect(asked.count == 6)
    #expect(Set(plain).isSubset(of: Set(asked)))
    #expect(asked.contains(2400) && asked.contains(2460))
  }

  @Test("a request during a cycle is answered by the forecast at the end of that cycle")
  func absorbed() throws {
    func starts(_ requests: String?) throws -> [UInt64] {
      let key = requests.map { ", requests: [\($0)]" } ?? ""
      return try Self.events(Self.rig("bridge: automat", key)).events.compactMap { event in
        if case .average(let average) = event { average.start / 1_000_000_000 } else { nil }
      }
    }
    let plain = try starts(nil)
    // Five requests in a regular cycle, which lasts from 30 min to 30 min and 10 s.
    #expect(try starts("1801s, 1803s, 1805s, 1807s, 1809s") == plain)
    // Five requests in a cycle that the first of them started.
    let asked = try starts("2400s, 2402s, 2404s, 2406s, 2408s")
    #expect(asked == (plain + [2400]).sorted())
    #expect(try starts("2400s, 2411s") == (plain + [2400, 2411]).sorted())
  }

  @Test("each reading is compared with the values that a program with defects displays")
  func comparedProgram() throws {
    let rig = try Self.rig(
      "adapter: {frequency: 400kHz}",
      ", beside: {defects: [pa-as-hpa], formula: datasheet-int64}, board: {thermometer: {offset: 0.5C}}"
    )
    let comparisons = try Self.events(rig).events.compactMap { event -> RunEvent.Comparison? in
      if case .comparison(let comparison) = event { comparison } else { nil }
    }
    #expect(comparisons.count == 8)
    let first = try #require(comparisons.first)
    #expect(first.board == 21.5)
    #expect(first.shown?.values.pressure == first.reading.sample.pascals.map { $0 * 100 })
  }

  @Test(
    "an error in the keys of a bridge or its pipeline is reported with the accepted value",
    arguments: [
      ("bridge: automatic", "", "bridge must be 'automat' or a group of keys"),
      ("bridge: {kind: automat, limit: 20}", "", "limit"),
      ("bridge: {kind: automat, loss: 2}", "", "loss"),
      ("bridge: automat", ", beside: {defects: [typo]}", "'typo' is not one of"),
      (
        "bridge: automat", ", beside: {defects: [q24.8-not-scaled]}",
        "the formula 'datasheet-int32' cannot have one of these defects"
      ),
      ("bridge: automat", ", altitude: {from: 35}", "needs a unit"),
    ])
  func mistakes(_ bus: String, _ pipeline: String, _ message: String) {
    let failure = #expect(throws: Failure.self) { try Self.rig(bus, pipeline) }
    #expect(failure?.kind == .badRig)
    #expect(
      failure?.messages.contains { $0.contains(message) } == true, "\(failure?.messages ?? [])")
  }

  @Test(
    "the reason is reported if a board cannot be reached at the start, and if it is lost later",
    arguments: [
      (
        "outages: [{at: 0s, for: 2h}]", "outages: [{at: 29min, for: 2min}]",
        "the board is out of range"
      ),
      (
        "silences: [{at: 0s, for: 2h}]", "silences: [{at: 29min, for: 2min}]",
        "the board is in range but does not advertise"
      ),
      ("power: {charge: 0}", "power: {capacity_mah: 2}", "the board's battery is flat"),
      ("battery_life: 0s", "battery_life: 29min", "the board's battery is flat"),
    ])
  func absent(_ begin: String, _ later: String, _ reason: String) throws {
    let failure = #expect(throws: Failure.self) {
      try RigRun(Self.rig("bridge: {kind: automat, \(begin)}")).run()
    }
    #expect(failure?.kind == .unavailable)
    let reported = failure?.messages.joined() ?? ""
    #expect(reported.contains(reason) && !reported.contains("adapter gone"), "\(reported)")
    let errors = try Self.events(Self.rig("bridge: {kind: automat, \(later)}")).events.compactMap {
      event -> RunEvent.SensorError? in
      if case .error(let error) = event { error } else { nil }
    }
    #expect(!errors.isEmpty)
    for error in errors {
      #expect(error.sentence.contains(reason), "\(error.sentence)")
      let json = RunEvent.error(error).json.compact
      #expect(json.contains("\"board\":\"\(error.absence?.name ?? "")\""), "\(json)")
    }
  }

  @Test("for a flat battery, the report gives the capacity and the time at which it was empty")
  func flat() throws {
    let text = try Self.sentences("power: {capacity_mah: 0.5}")
    #expect(
      text.contains("the battery delivered its 0.5 mAh and has been flat since 0:04:0"), "\(text)"
    )
    #expect(text.contains("lasts 0.1 h with its") && !text.contains("gave 7"), "\(text)")
    let refused = #expect(throws: Failure.self) {
      try Self.rig("bridge: {kind: automat, power: {capacity_mah: 0.0001}}")
    }
    let reported = refused?.messages.joined() ?? ""
    #expect(
      reported.contains("capacity_mah: 0.0001 is out of range: from 0.001 to 100000"), "\(reported)"
    )
  }
}
