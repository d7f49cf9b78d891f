import ArgumentParser
import Glibc
import Schema
import Support

/// A separate program that replaces this process.
///
/// It is installed next to this program or, in a checkout, built in a package of its own.
struct CompanionProgram {
  /// The program's name: `aneroid-station`.
  let name: String
  /// The noun for messages: `the station`.
  let noun: String
  /// The folder of its package in a checkout.
  private static let package = "Sources/Services"

  static let station = CompanionProgram(
    name: "aneroid-station", noun: "the station")
  static let hub = CompanionProgram(name: "aneroid-hub", noun: "the hub")

  /// Executes the program in place of this one; returns only by throwing.
  ///
  /// - Parameters:
  ///   - words: the program's arguments.
  ///   - reason: the start of the error message, if the user did not name the program.
  ///   - help: called if the program is missing, for example to print a short help.
  /// - Throws: the exit with an error message if the program cannot be started.
  func start(
    _ words: [String], because reason: String? = nil, orElse help: () throws -> Void = {}
  ) throws {
    guard let own = Self.own else {
      throw StandardError.exit(Failure(.unavailable, "cannot find the path of this program"))
    }
    guard let program = places(own).first(where: { access($0, X_OK) == 0 }) else {
      try help()
      throw StandardError.exit(
        Failure(
          .unavailable,
          "\(reason ?? "cannot start \(noun)"): program \(name) not found next to \(own); build it "
            + "with swift build -c release --package-path \(Self.package) --product \(name), in a checkout"
        ))
    }
    setenv("ANEROID_PROGRAM", own, 1)
    var arguments = ([program] + words).map { strdup($0) }
    arguments.append(nil)
    execv(program, arguments)
    throw StandardError.exit(
      Failure(.unavailable, "cannot start \(program): \(String(cString: strerror(errno)))"))
  }

  /// The path of this program's file.
  private static var own: String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let count = readlink("/proc/self/exe", &bytes, Int(PATH_MAX))
    guard count > 0 else { return nil }
    return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Returns the candidate paths: next to this program and, in a checkout, in its package's build
  /// folder.
  private func places(_ own: String) -> [String] {
    let folder = own.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      .map(String.init)
    var places = [(folder + [name]).joined(separator: "/")]
    // .build/<triple>/release/aneroid is three folders below the checkout, or two through the
    // symlink.
    for up in 2...3 where folder.count > up {
      let root = folder.dropLast(up).joined(separator: "/")
      places.append(root + "/\(Self.package)/.build/release/\(name)")
    }
    return places
  }
}

/// `aneroid station`: executes aneroid-station, a separate program.
struct StationCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "station",
    abstract: "Serve a weather station: forecasts for any location, corrected by a sensor.",
    discussion: """
      EXAMPLES
        aneroid station
        aneroid station --bus /dev/i2c-1 --store station.sqlite
        aneroid station rigs/weather-station.yaml --listen 127.0.0.1:8081
        aneroid station doctor gfs.nc
        aneroid station extract wrfout.nc --output surface.nc

      'aneroid station --help' lists the options if the program aneroid-station is installed.
      """)

  @Argument(parsing: .captureForPassthrough, help: "Arguments of aneroid-station.")
  var words: [String] = []

  func run() throws {
    try CompanionProgram.station.start(words) {
      if !Set(words).isDisjoint(with: ["--help", "-h"]) { throw CleanExit.helpRequest(self) }
    }
  }
}

/// `aneroid hub`: executes aneroid-hub, a separate program.
struct WarehouseHubCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hub",
    abstract: "Watch a warehouse: tags, alarms, MQTT, and a page.",
    discussion: """
      EXAMPLES
        aneroid hub example > hub.yaml
        aneroid hub example --lines | aneroid hub serve hub.yaml --lines
        aneroid hub alarms
        aneroid hub ack 1 --by Ana --note 'the door is being mended'
        aneroid hub map hub.yaml --report map.html
        aneroid hub run rigs/warehouse/cold-room.yaml

      'aneroid hub --help' lists the options if the program aneroid-hub is installed.
      """)

  @Argument(parsing: .captureForPassthrough, help: "Arguments of aneroid-hub.")
  var words: [String] = []

  func run() throws {
    try CompanionProgram.hub.start(words) {
      if !Set(words).isDisjoint(with: ["--help", "-h"]) { throw CleanExit.helpRequest(self) }
    }
  }
}

extension RunCommand {
  /// Executes the hub in place of this program if the rig is a warehouse.
  ///
  /// - Throws: the exit with an error if the hub cannot be started or does not have a given option.
  func startWarehouse() throws {
    guard let rig = WarehouseFile.path(rig) else { return }
    let options = [
      ("--for", length != nil), ("--set", !set.isEmpty),
      ("--junit", junit != nil), ("--trace", trace != nil),
      ("--report", page != nil), ("--plots", plots != nil), ("--against", against != nil),
      ("--within", within != nil), ("--allow-run", permission.allowRun),
      ("--allow-write", allowWrite),
    ]
    let unknown = options.filter(\.1).map(\.0)
    guard unknown.isEmpty else {
      throw StandardError.exit(
        Failure(
          .usage,
          "\(rig) is a warehouse, run by 'aneroid hub run', which does not accept "
            + "\(unknown.joined(separator: ", ")) (accepted: --seed, --format)"))
    }
    guard [.text, .json, .jsonl].contains(format) else {
      throw StandardError.exit(
        Failure(
          .usage,
          "\(rig) is a warehouse, run by 'aneroid hub run', which does not accept "
            + "--format \(format.rawValue) (accepted: text, json, jsonl)"))
    }
    let seed = seed.map { ["--seed", "\($0)"] } ?? []
    try CompanionProgram.hub.start(
      ["run"] + seed + ["--format", format.rawValue, "--", rig],
      because: "\(rig) is a warehouse, which the hub runs")
  }
}

extension RigCommand.Check {
  /// Executes the hub in place of this program if all rigs are warehouses and the format is text.
  ///
  /// - Throws: the exit with an error if the hub cannot be started.
  func startWarehouses() throws {
    let warehouses = rigs.compactMap(WarehouseFile.path)
    guard format == .text, warehouses.count == rigs.count, let first = warehouses.first else {
      return
    }
    try CompanionProgram.hub.start(
      ["check", "--"] + warehouses, because: "\(first) is a warehouse, which the hub checks")
  }

  /// Rejects a warehouse among other rigs.
  ///
  /// - Throws: `Files/Failure` with the command that checks warehouses.
  static func refuseWarehouse(_ word: String) throws(Failure) {
    guard let path = WarehouseFile.path(word) else { return }
    throw Failure(
      .usage,
      "\(path) is a warehouse and was not checked; use 'aneroid hub check \(path)' (only warehouses, only text)"
    )
  }
}

/// Detects rigs that are warehouses, which the hub runs and checks.
enum WarehouseFile {
  /// Finds the file of a rig that has the key `warehouse` at its top level.
  ///
  /// A named pipe can be read only once and never counts as a warehouse.
  ///
  /// - Parameter word: the rig's name, with an optional prefix `rig:`; `-` for standard input,
  ///   which remains readable.
  /// - Returns: the path; `nil` for any other rig.
  static func path(_ word: String) -> String? {
    let hasScheme = word.hasPrefix("rig:") && !TextFile.exists(word)
    let path = hasScheme ? String(word.dropFirst(4)) : word
    if path == "-" {
      let bytes = RepeatableInput.bytes(longest: Document.longest)
      return bytes.map(hasKey) == true ? path : nil
    }
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let bytes = try? TextFile.bytes(path, longest: Document.longest),
      hasKey(bytes)
    else { return nil }
    return path
  }

  /// Returns whether a text has the key `warehouse` at its top level; a text without that word is
  /// not parsed.
  private static func hasKey(_ bytes: [UInt8]) -> Bool {
    let text = String(decoding: bytes, as: UTF8.self)
    return text.contains("warehouse") && DocumentFamily(of: text) == .warehouse
  }
}
