import ArgumentParser
import Foundation
import HubService

/// Prints the file of a small hub, or speaks for its tags.
struct ExampleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "example", abstract: "Print the file of a small hub, or speak for its tags.",
    discussion: """
      EXAMPLES
        aneroid hub example > hub.yaml
        aneroid hub example --lines | aneroid hub serve hub.yaml --lines

      With --lines it is a gateway that hears six tags every second, until Ctrl-C or \
      for --seconds: a door that opens for a minute and a half of every three, a tag \
      that falls silent, one whose sensor has lost its power, one whose battery is low.
      """)

  @Flag(help: "Print what the tags say, as lines for 'serve --lines'.")
  var lines = false

  @Option(
    parsing: .unconditional, help: "End after so many seconds; never unless given.")
  var seconds: Int?

  func validate() throws {
    if let seconds, seconds < 0 { throw ValidationError("--seconds is 0 or more.") }
  }

  func run() throws {
    let output = HubOutput()
    guard lines else {
      output.put(Self.file)
      return output.flush()
    }
    for second in 0..<(seconds ?? .max) {
      for tag in ExampleTag.all {
        if let line = tag.line(second) { output.put(line + "\n") }
      }
      output.flush()
      Thread.sleep(forTimeInterval: 1)
    }
  }

  /// The file.
  private static let file = """
    # A hub to begin with; every key: aneroid hub reference. Its tags speak by 'aneroid hub example --lines'.
    hub: north
    zones:
      - name: cold room
        limits:
          - {of: temperature, level: warning, high: 7C, delay: 2s, hysteresis: 0.5C}
          - {of: temperature, low: 2C, high: 8C, delay: 4s, hysteresis: 0.5C}
        storage: cold-chain
      - name: dry store
        limits:
          - {of: humidity, high: 60%, delay: 10s, hysteresis: 2%}
        storage: dry-place
    tags:
      - {address: "A4:DA:32:00:00:01", name: door, zone: cold room, period: 2s, at: [1m, 2m]}
      - {address: "A4:DA:32:00:00:02", name: back wall, zone: cold room, period: 2s, at: [5m, 1m]}
      - {address: "A4:DA:32:00:00:03", name: top shelf, zone: cold room, period: 2s, at: [5m, 4m]}
      - {address: "A4:DA:32:00:00:04", name: paper, zone: dry store, period: 2s, at: [9m, 1m]}
      - {address: "A4:DA:32:00:00:05", name: seeds, zone: dry store, period: 2s, at: [9m, 4m]}
      - {address: "A4:DA:32:00:00:06", name: old tag, zone: dry store, period: 2s, at: [12m, 2m]}
    duty: {people: [Ana, Rui], escalate: 15min}
    # mqtt: {host: broker.example, user: north, password_file: mqtt.password, ca: ca.pem, confirm: receiver}
    # http: {address: "https://collector.example/batches", authorization_file: collector.token, every: 5min}
    queue: {file: north.sqlite}
    page: {listen: "127.0.0.1:8090"}

    """
}

/// A tag of the example, and the air about it.
private struct ExampleTag {
  let number: Int
  var isOlder = false
  /// After how many seconds it falls silent.
  var last = Int.max
  /// From which second on its battery is low, and its sensor without power, so that all its bytes are 0.
  var lowFrom = Int.max, offFrom = Int.max
  /// °C and % at a second.
  let air: @Sendable (Double) -> (Double, Double)

  static let all = [
    // Above 7 °C at once, and above 8 °C from the seventh second on, for about 70 seconds of every 180.
    ExampleTag(number: 1) { (7 + 3 * sin(0.1 + $0 * .pi / 90), 80) },
    ExampleTag(number: 2) { (4.6 + 0.3 * sin($0 / 20), 76) },
    ExampleTag(number: 3, last: 2) { (5.2 + 0.1 * sin($0 / 7), 74) },
    ExampleTag(number: 4, lowFrom: 14) { (18.4, 52 + 2 * sin($0 / 30)) },
    ExampleTag(number: 5, offFrom: 15) { (18.7, 51 + sin($0 / 15)) },
    ExampleTag(number: 6, isOlder: true) { (18.9, 49 + sin($0 / 25)) },
  ]

  /// What it notifies, as a gateway gives it; `nil` once it is silent.
  func line(_ second: Int) -> String? {
    guard second <= last else { return nil }
    let (celsius, humidity) = air(Double(second))
    let shares =
      isOlder
      ? [(celsius + 46.85) / 175.72, (humidity + 6) / 125] : [(celsius + 40) / 165, humidity / 100]
    let words = shares.map { second >= offFrom ? 0 : UInt16($0 * 65536) & ~3 }
    let raw = words.map { String(format: "%02x%02x", $0 & 255, $0 >> 8) }.joined()
    let (kind, battery) = (isOlder ? "cc2541" : "cc2650", second >= lowFrom ? 8 : 90)
    return #"{"tag":"A4:DA:32:00:00:0\#(number)","kind":"\#(kind)","characteristic":"AA21","#
      + #""raw":"\#(raw)","rssi":\#(-55 - 4 * number),"battery":\#(battery)}"#
  }
}
