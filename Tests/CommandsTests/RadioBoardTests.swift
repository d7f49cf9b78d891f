import Foundation
import TestSupport
import Testing

/// The thesis's whole chain over real Bluetooth LE frames gives the same results as the simulated
/// link.
@Suite(.serialized)
struct RadioBoardTests {
  /// The bridge of this checkout, with the stack installed by `Tests/run`.
  static var bridge: String {
    let python = Fixtures.root.appending(path: ".build-peers/bumble/bin/python").path
    let sources = Fixtures.root.appending(path: "Sources/Python").path
    return "/usr/bin/env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=\(sources) \(python) -m aneroid.ble"
  }

  static func aneroid(
    _ arguments: String..., environment: [String] = ["ANEROID_BLE=\(bridge)"],
    program: String = CommandLineTool.path.path
  ) throws -> CommandLineTool.Result {
    try CommandLineTool.run(
      URL(filePath: "/usr/bin/env"), environment + [program] + arguments)
  }

  /// The events of a run over the simulated link and over frames, and the additional events of the
  /// latter.
  static func both(
    _ rig: String
  ) throws -> (simulated: CommandLineTool.Result, frames: CommandLineTool.Result, added: String) {
    let simulated = try CommandLineTool.withFile(rig) {
      try aneroid("run", $0, "--format", "jsonl")
    }
    let frames = try CommandLineTool.withFile(overFrames(rig)) {
      try aneroid("run", $0, "--format", "jsonl")
    }
    let board = frames.outputLines.first { $0.hasPrefix("{\"event\":\"board\"") } ?? ""
    return (simulated, frames, String(board.drop { $0 != "," }))
  }

  static func overFrames(_ rig: String) -> String {
    rig.replacing("kind: automat", with: "kind: automat, link: ble")
  }

  /// The lines without the events that only frames have.
  static func common(_ result: CommandLineTool.Result) -> [String] {
    result.outputLines.map {
      $0.replacing(/,"connections":\d+,"requests":\d+/, with: "").replacing(
        /"\/.*\.yaml"/, with: "")
    }
  }

  @Test("adding 'link: ble' to the thesis's rig gives the same events, reading for reading")
  func thesis() throws {
    let rig = try Fixtures.text("rigs/thesis-automat.yaml")
    let (simulated, frames, board) = try Self.both(rig)
    #expect(frames.status == 0, "\(frames.errors)")
    #expect(simulated.outputLines.count > 200)
    #expect(Self.common(frames) == Self.common(simulated))
    let requests = board.firstMatch(of: /"connections":1,"requests":(\d+)/).flatMap { Int($0.1) }
    #expect(requests ?? 0 > 1000, "\(board)")
    #expect(!simulated.output.contains("requests"))
  }

  @Test(
    "losses, outages, silences and a flat battery have the effects of the simulated link",
    arguments: [
      ("loss: 0.005, jitter: 0.5", "\"connections\":1,"),
      ("outages: [{at: 1h, for: 40min}, {at: 3h, for: 1h}]", "\"connections\":3,"),
      ("silences: [{at: 1h, for: 40min}]", "\"connections\":2,"),
      ("battery_life: 5h", "\"connections\":1,"),
    ])
  func absences(_ keys: String, _ connections: String) throws {
    let rig = """
      name: board
      seed: 4
      duration: 6h
      buses:
        - number: 1
          bridge: {kind: automat, \(keys)}
          devices: [{address: 0x76, model: bme280}]
      pipeline: {samples: 2, sample_every: 10s, cycle: 30min}
      """
    let (simulated, frames, board) = try Self.both(rig)
    #expect(Self.common(frames) == Self.common(simulated))
    #expect(board.contains(connections), "\(board)")
  }

  @Test("a crashed Bluetooth stack is restarted, and the report gives the reason")
  func dies() throws {
    let rig = try Self.overFrames(Fixtures.text("rigs/thesis-automat.yaml"))
    try CommandLineTool.withFile(rig) { path in
      // The bridge ends with its input, here after a number of bytes.
      let program = "#!/bin/sh\ndd bs=1 count=40000 status=none | exec \(Self.bridge)\n"
      let result = try CommandLineTool.withFile(program, suffix: ".sh") { script in
        try Self.aneroid(
          "run", path, "--format", "jsonl", environment: ["ANEROID_BLE=/bin/sh \(script)"])
      }
      let board = result.outputLines.first { $0.hasPrefix("{\"event\":\"board\"") } ?? ""
      let count = board.firstMatch(of: /"connections":(\d+)/).flatMap { Int($0.1) } ?? 0
      #expect(count > 1, "\(board) \(result.errors)")
      #expect(board.contains("\"stack_failed\":\"the Bluetooth bridge"), "\(board)")
      #expect(result.outputLines.filter { $0.hasPrefix("{\"event\":\"reading\"") }.count > 190)
    }
  }

  @Test("in a checkout prepared for tests, Bumble is found without an environment variable")
  func found() throws {
    let rig = """
      name: board
      duration: 1h
      buses:
        - number: 1
          bridge: {kind: automat, link: ble}
          devices: [{address: 0x76, model: bme280}]
      pipeline: {samples: 2, sample_every: 10s, cycle: 30min}
      """
    try CommandLineTool.withFile(rig) { path in
      let result = try Self.aneroid(
        "run", path, "--format", "jsonl", environment: ["-i", "PATH=/usr/bin"])
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.output.contains("\"connections\":1,"), "\(result)")
    }
  }

  @Test(
    "a missing Bluetooth stack is reported in one line with the package to install",
    arguments: [
      // Outside a checkout, and in a checkout without installed packages.
      (false, "/usr/bin", "No module named 'aneroid'", "pip install './aneroid-VERSION.whl[ble]'"),
      (false, "/nowhere", "python3: No such file or directory", "pip install"),
      (true, "/usr/bin", "has no module bumble", "pip install bumble==0.0.236"),
    ])
  func missing(_ isCheckout: Bool, _ path: String, _ why: String, _ advice: String) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "stack-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = folder.appending(path: "aneroid")
    // A program that this process writes itself is busy if another test starts one meanwhile.
    try Tool.run("cp", [CommandLineTool.path.path, program.path])
    if isCheckout {
      try FileManager.default.createDirectory(
        at: folder.appending(path: "Sources"), withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        at: folder.appending(path: "Sources/Python"),
        withDestinationURL: Fixtures.root.appending(path: "Sources/Python"))
      try Data().write(to: folder.appending(path: "Package.swift"))
    }
    let environment = ["-i", "PATH=\(path)"]
    let rig = try Self.overFrames(Fixtures.text("rigs/thesis-automat.yaml"))
    try CommandLineTool.withFile(rig) { path in
      let result = try Self.aneroid(
        "run", path, environment: environment, program: program.path)
      #expect(result.status == 69)
      #expect(result.output == "")
      #expect(result.errors.hasPrefix("aneroid: "), "\(result.errors)")
      #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
      #expect(result.errors.contains(why), "\(result.errors)")
      #expect(result.errors.contains(advice), "\(result.errors)")
      // A rig can be checked without a stack.
      let check = try Self.aneroid(
        "rig", "check", path, environment: environment, program: program.path)
      #expect(check.status == 0, "\(check.errors)")
    }
  }

  @Test("a program in 'aneroid exec' reads the sensor over the Bluetooth link")
  func exec() throws {
    let rig = try Self.overFrames(Fixtures.text("rigs/thesis-automat.yaml"))
    try CommandLineTool.withFile(rig) { path in
      let result = try Self.aneroid(
        "exec", "--rig", path, "--clock", "virtual", "--", "sh", "-c",
        "i2cget -y 1 0x76 0xd0; i2ctransfer -y 1 w1@0x76 0x88 r18 | wc -w; "
          + "i2ctransfer -y 1 w1@0x76 0x88 r19")
      #expect(result.output == "0x60\n18\n", "\(result)")
      #expect(result.errors.contains("Operation not supported"), "\(result)")
    }
  }

  @Test(
    "radios that cannot reach each other are an error of the rig",
    arguments: [
      (
        "link: simulated, radios: {client: \"usb:0\", board: \"usb:1\"}",
        "'radios' needs 'link: ble'"
      ),
      (
        "link: ble, radios: {client: \"usb:0\", board: virtual}",
        "a virtual radio cannot connect to a real one"
      ),
      ("link: radio", "is not one of simulated, ble"),
    ])
  func mistakes(_ keys: String, _ words: String) throws {
    let rig = """
      name: board
      buses:
        - number: 1
          bridge: {kind: automat, \(keys)}
          devices: [{address: 0x76, model: bme280}]
      """
    try CommandLineTool.withFile(rig) { path in
      let result = try CommandLineTool.run("rig", "check", path)
      #expect(result.status == 78)
      #expect(result.errors.contains(words) || result.output.contains(words), "\(result)")
    }
  }
}
