import Forecasts
import Foundation
import Glibc
import Readings

/// The source of a station's readings, from what its user named.
struct StationSources {
  let rig: String?
  let bus: String?
  let interval: Int
  let site: Site
  let forecasts: ForecastSource

  /// The source.
  ///
  /// - Parameter last: when the store's last reading was made, in seconds since 1970; `nil` for an empty one.
  /// - Returns: the source, which has been tried.
  /// - Throws: ``Stop`` if there is none, or why the command that makes readings cannot be started.
  func source(last: Int?) throws -> any ReadingSource {
    if let rig {
      return try checked(.run(of: rig, interval: interval, try command(for: rig)), rig)
    }
    guard let bus else { return simulated(last) }
    if let file = Self.rest(of: bus, after: "rig:") {
      let number = file.split(separator: "#", maxSplits: 1).dropFirst().first
      if let number, UInt16(number) == nil {
        throw Stop("cannot read \(bus): '\(number)' is no number of a bus; say #1 or another", 64)
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
        throw Stop("\(file) is no trace with a transfer in it; 'aneroid trace check' says more", 65)
      }
      return try checked(source, bus)
    }
    let source = RealSource(path: bus, interval: interval, now: Talk.now) { Talk.say($0) }
    do { try source.check() } catch { throw Stop("cannot read \(bus): \(error)", 69) }
    return source
  }

  private func simulated(_ last: Int?) -> any ReadingSource {
    let (site, forecasts) = (site, forecasts)
    return SimulatedSource(interval: interval, last: last, now: Talk.now) { moment in
      LocalAir.air((try? forecasts.forecast(at: site.place)) ?? nil, site, at: moment)
    }
  }

  private static func rest(of text: String, after scheme: String) -> String? {
    text.hasPrefix(scheme) ? String(text.dropFirst(scheme.count)) : nil
  }

  /// A source that has been tried; what is wrong was said by the command itself.
  private func checked(_ source: ProgramSource, _ name: String) throws -> ProgramSource {
    let status = try source.check()
    guard status == 0 else { throw Stop("cannot read \(name): see the line above", status) }
    return source
  }

  private func command(for name: String) throws -> ProgramSource.Command {
    guard let program = Self.program() else {
      throw Stop(
        "cannot run \(name): the command aneroid is neither beside aneroid-station nor in PATH", 69)
    }
    return ProgramSource.Command(program: program, now: Talk.now) { Talk.say($0) }
  }

  /// The file of this program.
  private static var own: String {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
  }

  /// The command that runs rigs: the one that started this program, or that lies beside it, or in PATH.
  private static func program() -> String? {
    let environment = ProcessInfo.processInfo.environment
    let beside = URL(fileURLWithPath: own).deletingLastPathComponent()
      .appendingPathComponent("aneroid").path
    let paths = (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/aneroid" }
    return ([environment["ANEROID_PROGRAM"], beside].compactMap { $0 } + paths).first {
      access($0, X_OK) == 0
    }
  }
}
