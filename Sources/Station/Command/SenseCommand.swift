import ArgumentParser
import Glibc
import Readings
import Service

/// Prints the readings of a bus, for a station that reads a rig's bus: the rig's bench stands around this program alone.
struct SenseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sense", abstract: "Print a bus's readings as JSON Lines.", shouldDisplay: false)

  @Argument(help: ArgumentHelp("The bus.", valueName: "bus"))
  var bus: String

  @Option(help: "Seconds from one reading to the next.")
  var interval = 10

  func run() async throws {
    let source = RealSource(path: bus, interval: interval, now: Talk.now) { Talk.say($0) }
    try await source.run { readings in
      for reading in readings {
        let line = JSON.object([
          ("event", .string("reading")), ("t", .int(reading.time)),
          ("temperature_c", .number(reading.celsius, 4)),
          ("humidity_rh", .number(reading.humidity, 4)),
          ("pressure_pa", .number(reading.pascals, 3)),
        ])
        let bytes = line.bytes + [UInt8(ascii: "\n")]
        // Nobody reads any more: the station has ended.
        if write(1, bytes, bytes.count) != bytes.count { Glibc.exit(0) }
      }
    }
  }
}
