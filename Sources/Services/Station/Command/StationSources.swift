import ArgumentParser
import Forecasts
import Foundation
import Glibc
import Readings
import StationService
import Support

/// Creates the source of readings that the options select.
struct StationSources {
  let rig: String?
  let bus: String?
  /// `true` if the forecasts are those of the user's files.
  let hasFiles: Bool
  let interval: Int
  let site: Site
  let forecasts: ForecastSource

  /// Creates the source.
  ///
  /// - Parameter last: The time of the last stored reading in seconds since 1970; `nil` for an empty store.
  /// - Returns: The source, which has been checked to be available.
  /// - Throws: `Stop` if the source is not available, or an error if the command that provides
  ///   readings cannot be started.
  func source(last: Int?) throws -> any ReadingSource {
    if let rig {
      return try checked(.run(of: rig, interval: interval, try command(for: rig)), rig)
    }
    // Invented measurements must not change real forecasts.
    let bus = bus ?? (hasFiles ? "none" : "simulated")
    if bus == "none" { return NoSource() }
    if bus == "simulated" { return simulated(last) }
    if let file = Self.rest(of: bus, after: "rig:") {
      let number = file.split(separator: "#", maxSplits: 1).dropFirst().first
      if let number, UInt16(number) == nil {
        throw Stop("cannot read \(bus): '\(number)' is not a bus number; use #1 or another", 64)
      }
      let source = ProgramSource.bus(
        of: file, sense: { [Self.own, "sense", $0, "--interval", "\(interval)"] },
        interval: interval, try command(for: bus))
      return try checked(source, bus)
    }
    if let file = Self.rest(of: bus, after: "trace:") {
      guard access(file, R_OK) == 0 else {
        throw Stop("cannot read \(file): \(String(cString: strerror(errno)))", 66)
      }
      guard let source = ProgramSource.trace(file, interval: interval, try command(for: bus))
      else {
        throw Stop("\(file) is not a trace with a transfer; see 'aneroid trace check'", 65)
      }
      return try checked(source, bus)
    }
    let source = RealSource(path: bus, interval: interval, now: Console.now) { Console.say($0) }
    do { try source.check() } catch { throw Stop("cannot read \(bus): \(error)", 69) }
    return source
  }

  private func simulated(_ last: Int?) -> any ReadingSource {
    let (site, forecasts) = (site, forecasts)
    return SimulatedSource(interval: interval, last: last, now: Console.now) { moment in
      LocalAir.air((try? forecasts.forecast(at: site.location)) ?? nil, site, at: moment)
    }
  }

  private static func rest(of text: String, after scheme: String) -> String? {
    text.hasPrefix(scheme) ? String(text.dropFirst(scheme.count)) : nil
  }

  /// Checks a source whose command reports errors itself, and returns the source.
  private func checked(_ source: ProgramSource, _ name: String) throws -> ProgramSource {
    let status = try source.check()
    guard status == 0 else { throw Stop("cannot read \(name): see the message above", status) }
    return source
  }

  private func command(for name: String) throws -> ProgramSource.Command {
    guard let program = Self.program() else {
      throw Stop(
        "cannot run \(name): the command aneroid is neither next to aneroid-station nor in PATH", 69
      )
    }
    return ProgramSource.Command(program: program, now: Console.now) { Console.say($0) }
  }

  /// The path of this executable.
  private static var own: String {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
  }

  /// Returns the path of the command that runs rigs: the command that started this program, the one
  /// next to it, or the one in PATH.
  private static func program() -> String? {
    let environment = ProcessInfo.processInfo.environment
    let sibling = URL(fileURLWithPath: own).deletingLastPathComponent()
      .appendingPathComponent("aneroid").path
    let paths = (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/aneroid" }
    return ([environment["ANEROID_PROGRAM"], sibling].compactMap { $0 } + paths).first {
      access($0, X_OK) == 0
    }
  }
}

/// Prints the readings of a bus, for a station that reads a bus of a rig.
///
/// The station starts this command in a process of its own, because a rig's virtual bus exists only
/// for the process that `aneroid exec` starts.
struct SenseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sense", abstract: "Print the readings of a bus as JSON Lines.",
    shouldDisplay: false)

  @Argument(help: ArgumentHelp("The bus.", valueName: "bus"))
  var bus: String

  @Option(help: "Interval between readings in seconds.")
  var interval = 10

  func run() async throws {
    let source = RealSource(path: bus, interval: interval, now: Console.now) { Console.say($0) }
    try await source.run { readings in
      for reading in readings {
        let line = JSONValue.object([
          ("event", .string("reading")), ("t", .integer(reading.time)),
          ("temperature_c", .rounded(reading.celsius, 4)),
          ("humidity_rh", .rounded(reading.humidity, 4)),
          ("pressure_pa", .rounded(reading.pascals, 3)),
        ])
        let bytes = Array((line.compact + "\n").utf8)
        // The pipe is closed because the station has exited.
        if write(1, bytes, bytes.count) != bytes.count { Glibc.exit(0) }
      }
    }
  }
}
