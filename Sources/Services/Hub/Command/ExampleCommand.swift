import ArgumentParser
import Foundation
import HubService
import WarehouseRuns

/// Prints an example hub file, or simulated notifications of its tags.
struct ExampleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "example", abstract: "Print an example hub file, or notifications of its tags.",
    discussion: """
      EXAMPLES
        aneroid hub example > hub.yaml
        aneroid hub example --lines | aneroid hub serve hub.yaml --lines

      With --lines it acts as a gateway that receives six tags every second, until Ctrl-C or \
      for --seconds: a door that opens for 90 s in every 180 s, a tag that stops sending, \
      one whose sensor has lost its supply, and one with a low battery.
      """)

  @Flag(help: "Print notifications of the tags, as lines for 'serve --lines'.")
  var lines = false

  @Option(
    parsing: .unconditional, help: "Duration in seconds; default: until Ctrl-C.")
  var seconds: Int?

  func validate() throws {
    if let seconds, seconds < 0 { throw ValidationError("--seconds must be at least 0.") }
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

  /// The text of the example hub file.
  private static let file = """
    # An example hub; for all keys: aneroid hub reference. 'aneroid hub example --lines' simulates its tags.
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
    # notify: [{by: mail, name: mail, server: "smtps://mail.example:465", from: hub@example.org, to: [ana@example.org]}]
    # http: {address: "https://collector.example/batches", authorization_file: collector.token, every: 5min}
    queue: {file: north.sqlite}
    page: {listen: "127.0.0.1:8090"}

    """
}

/// A tag in the example, with its ambient air.
private struct ExampleTag {
  let number: Int
  var isOlder = false
  /// The second after which the tag stops sending.
  var last = Int.max
  /// The second from which the tag's battery is low, and the second from which its sensor has no
  /// supply, so all bytes are 0.
  var lowFrom = Int.max, offFrom = Int.max
  /// The temperature in °C and the relative humidity in % at a second.
  let air: @Sendable (Double) -> (Double, Double)

  static let all = [
    // In every 180 seconds, the value is above 8 °C for about 70 seconds; it starts above 7 °C and
    // first passes 8 °C in the seventh second.
    ExampleTag(number: 1) { (7 + 3 * sin(0.1 + $0 * .pi / 90), 80) },
    ExampleTag(number: 2) { (4.6 + 0.3 * sin($0 / 20), 76) },
    ExampleTag(number: 3, last: 2) { (5.2 + 0.1 * sin($0 / 7), 74) },
    ExampleTag(number: 4, lowFrom: 14) { (18.4, 52 + 2 * sin($0 / 30)) },
    ExampleTag(number: 5, offFrom: 15) { (18.7, 51 + sin($0 / 15)) },
    ExampleTag(number: 6, isOlder: true) { (18.9, 49 + sin($0 / 25)) },
  ]

  /// Returns the tag's notification as a gateway reports it; `nil` once the tag has stopped.
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

/// Prints the reference of all keys of a hub file.
struct ReferenceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reference",
    abstract: "Print the reference of all keys of a hub file in Markdown.",
    discussion: """
      EXAMPLES
        aneroid hub reference
      """)

  func run() throws {
    let output = HubOutput()
    output.put(HubSettings.reference)
    output.flush()
  }
}

/// Prints the schema of hub files or warehouse rigs.
struct SchemaCommand: ParsableCommand {
  /// The documents that have a schema.
  enum Document: String, CaseIterable, ExpressibleByArgument {
    case hub, warehouse
  }

  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the JSON Schema of hub files or warehouse rigs, for editors.",
    discussion: """
      EXAMPLES
        aneroid hub schema > hub.schema.json
        aneroid hub schema --for warehouse > warehouse.schema.json

      An editor with the YAML language server finds the schema by the first line of a file:

        # yaml-language-server: $schema=hub.schema.json
      """)

  @Option(
    name: .customLong("for"),
    help: "hub: hub files for 'aneroid hub serve'; warehouse: rigs with the key 'warehouse'.")
  var document = Document.hub

  func run() throws {
    let output = HubOutput()
    output.put(document == .hub ? HubSettings.schema : WarehouseProgram.schema)
    output.flush()
  }
}
