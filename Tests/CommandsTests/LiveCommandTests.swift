import Foundation
import TestSupport
import Testing

/// The commands of a living station and cabin: `ask`, `history`, `drill`, and `diagnose --patch`.
struct LiveCommandTests {
  static let rig = """
    name: live-NAME
    clock: real
    buses: [{number: 1, devices: [{model: bme280}]}]
    environment: {constant: {pressure: 1000hPa}}
    pipeline: {samples: 2, sample_every: 1s, cycle: 30min, forecast: thesis, history: FILE}
    """

  static func aneroid(_ arguments: String...) throws -> CommandLineTool.Result {
    try CommandLineTool.run(CommandLineTool.path, arguments)
  }

  @Test("a running station answers requests, one cycle for all of them, and stores their averages")
  func ask() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (path, socket, history) = ("\(folder)/rig.yaml", "\(folder)/ask.socket", "\(folder)/h.bin")
    let text = Self.rig.replacing("NAME", with: "one").replacing("FILE", with: "h.bin")
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    #expect(try Self.aneroid("ask", socket).status == 69)
    #expect(
      try Self.aneroid("history", "add", path, "1010hPa", "--ago", "40min").output
        .contains("1 stored pressure"))
    let station = Process()
    station.executableURL = CommandLineTool.path
    station.arguments = ["run", path, "--socket", socket]
    station.standardOutput = FileHandle.nullDevice
    let errors = Pipe()
    station.standardError = errors
    try station.run()
    defer { station.terminate() }
    while !FileManager.default.fileExists(atPath: socket) {
      try await Task.sleep(for: .milliseconds(20))
    }
    // The first request is absorbed by the first cycle.
    let first = try Self.aneroid("ask", socket)
    #expect(first.status == 0 && first.output.contains("thesis: thunderStorm"), "\(first)")
    async let one = Task.detached { try Self.aneroid("ask", socket, "--format", "json") }.value
    async let other = Task.detached { try Self.aneroid("ask", socket, "--format", "json") }.value
    let both = try await [one, other]
    #expect(
      both.allSatisfy { $0.status == 0 && $0.output.contains(#""method":"thesis""#) }, "\(both)")
    let busy = try Self.aneroid("history", "add", history, "1000hPa", "--ago", "1min")
    #expect(busy.status == 69 && busy.errors.contains("another run uses this history"))
    station.terminate()
    station.waitUntilExit()
    #expect(!FileManager.default.fileExists(atPath: socket), "the socket is removed")
    let notices = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
    #expect(notices.contains("1 stored pressure was added by hand"), "\(notices)")
    let shown = try Self.aneroid("history", "show", path, "--format", "csv").output
    let rows = shown.split(separator: "\n").dropFirst()
    #expect(
      rows.first?.hasSuffix(",101000,hand") == true && (3...5).contains(rows.count), "\(shown)")
  }

  @Test("a damaged history is reported, kept and repaired; other files are not touched")
  func history() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    let aside = "\(path).damaged"
    defer { for file in [path, aside] { try? FileManager.default.removeItem(atPath: file) } }
    for (minutes, pressure) in [(30, "1001hPa"), (90, "1003hPa"), (60, "30inHg")] {
      #expect(
        try Self.aneroid("history", "add", path, pressure, "--ago", "\(minutes)min").status == 0)
    }
    let rows = try Self.aneroid("history", "show", path).output.split(separator: "\n")
    #expect(rows.map { $0.contains("hand") } == [true, true, true, false], "\(rows)")
    #expect(rows[0].contains("1003.00") && rows[1].contains("1015.92"), "\(rows)")
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes[8 + 21 + 3] ^= 0xFF
    try bytes.write(to: URL(filePath: path))
    let damaged = try Self.aneroid("history", "show", path)
    #expect(damaged.status == 1 && damaged.errors.contains("damaged at byte 29"), "\(damaged)")
    #expect(try Self.aneroid("history", "add", path, "1000hPa", "--ago", "1min").status == 65)
    #expect(try Self.aneroid("history", "repair", path).output.contains("2 valid records are kept"))
    #expect(try Data(contentsOf: URL(filePath: aside)) == bytes)
    #expect(
      try Self.aneroid("history", "repair", path).output.contains("complete, 2 valid records"))
    #expect(try Self.aneroid("history", "show", "README.md").status == 65)
    #expect(try Self.aneroid("history", "show", "/no/such/file").status == 66)
    #expect(try Self.aneroid("history", "show", "thesis").status == 64)
    for words in [["1000", "--ago", "1min"], ["1000hPa"], ["1000hPa", "--at", "noon"]] {
      let result = try CommandLineTool.run(
        CommandLineTool.path, ["history", "add", path] + words)
      #expect(result.status == 64, "\(words)")
    }
  }

  /// A search that reads the barometer, closes one hatch after the other, and reopens those that do
  /// not stop the fall.
  static let search = """
    import fcntl, os, sys, time
    bus = os.open("/dev/i2c-1", os.O_RDWR)
    def at(address): fcntl.ioctl(bus, 0x0703, address)
    def pressure():
        at(0x76)
        os.write(bus, bytes([0xF4, 0x55])); time.sleep(0.05)
        os.write(bus, b"\\xf7"); d = os.read(bus, 3)
        return d[0] << 12 | d[1] << 4 | d[2] >> 4
    def panel(byte):
        at(0x20); os.write(bus, bytes([byte]))
        assert os.read(bus, 1)[0] == byte
    def fall(seconds):
        first = pressure(); time.sleep(seconds); return pressure() - first
    at(0x20); assert os.read(bus, 1)[0] == 0b1111
    while fall(10) < 40: pass
    whole = fall(10)
    for hatch in 2, 0, 3, 1:
        panel(0b1111 & ~(1 << hatch)); time.sleep(1)
        if fall(10) < whole / 2:
            print("beyond", hatch)
            break
        panel(0b1111)
    """

  @Test("in a drill, a program moves hatches on the bus, and the same seed gives the same score")
  func drill() throws {
    try CommandLineTool.withFile(Self.search, suffix: ".py") { path in
      var reports: Set<String> = []
      for _ in 0..<2 {
        let result = try Self.aneroid("drill", "iss-leak", "--seed", "3", "--", "python3", path)
        #expect(result.status == 0 && result.output.contains("beyond"), "\(result)")
        #expect(result.errors.contains("2 node-laboratory"))
        reports.insert(result.output)
      }
      #expect(reports.count == 1)
      let report = try #require(reports.first)
      #expect(report.contains(/this search +[\d.]+ min of reserve used; shut off/), "\(report)")
      #expect(
        report.contains(/score: [\d.]+ min of reserve more than the best possible/), "\(report)")
    }
    let lost = try Self.aneroid("drill", "iss-leak", "--seed", "3", "--", "sleep", "600")
    #expect(lost.status == 1 && lost.output.contains("the leak was not shut off"), "\(lost)")
    let early = try Self.aneroid("drill", "iss-leak", "--seed", "3", "--", "true")
    #expect(early.status == 1 && early.output.contains("ended before a leak began"), "\(early)")
    #expect(!early.output.contains("mm in"), "the hole stays hidden")
    let unfit = try Self.aneroid("drill", "thesis", "--", "true")
    #expect(unfit.status == 78 && unfit.errors.contains("needs a cabin with hatches"), "\(unfit)")
    #expect(try Self.aneroid("drill", "iss-leak").status == 69, "without a terminal")
  }

  @Test("the lines that hold the thesis's defects are found, and each edit is proven")
  func patch() throws {
    let reader = "Tests/Peers/clients/published_reader.py"
    let result = try Self.aneroid(
      "diagnose", "bmp-bosch-decode", "--temperature", "23.07C", "--pressure", "1443.34hPa",
      "--patch", reader)
    #expect(result.status == 1)
    for defect in ["B06 low-byte-signed", "B10 pressure-block-from-0x8d", "B19 p9-byte-twice"] {
      let line = result.output.split(separator: "\n").first { $0.hasPrefix("\(defect): ") } ?? ""
      #expect(line.contains(/: \d lines? of .*; proven by \d values/), "\(result)")
    }
    #expect(result.output.contains("-p = read(0x8D, 18)\n+p = read(0x8E, 18)\n"), "\(result)")
    let diff = try #require(result.output.range(of: "--- ")).lowerBound
    // The diff is one that patch(1) applies.
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let copy = "\(folder)/reader.py"
    try FileManager.default.copyItem(
      atPath: Fixtures.root.appending(path: reader).path, toPath: copy)
    let text = String(result.output[diff...])
    let applied = try CommandLineTool.run(
      URL(filePath: "/usr/bin/git"), ["-C", folder, "apply", "-p0", "--unsafe-paths", "-"],
      input: text.replacing(reader, with: "reader.py"))
    #expect(applied.status == 0, "\(applied)")
    let shown = try Self.aneroid(
      "exec", "--bus", "trace:bmp-bosch-decode", "--replay", "model", "--clock", "virtual", "--",
      "python3", copy)
    #expect(shown.output.contains("23.58 C  995.8"), "\(shown)")
    let needless = try Self.aneroid(
      "diagnose", "bmp-bosch-decode", "--temperature", "23.07C", "--pressure", "995.82hPa",
      "--patch", reader)
    #expect(needless.status == 65 && needless.errors.contains("nothing to patch"), "\(needless)")
  }
}
