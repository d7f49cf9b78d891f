import Foundation
import Warehouse

/// A notification of a tag as one line of JSON, the input format for other gateways.
///
///     {"tag":"A4:DA:32:00:00:01","kind":"cc2650","characteristic":"AA21","raw":"4065bc7a","rssi":-61}
package struct NotificationLine: Decodable {
  let tag: String
  let kind: String?
  let characteristic: String?
  let raw: String?
  let rssi: Int?
  let battery: Int?
  let firmware: String?
  let time_ns: Int64?

  /// The maximum length of a line in bytes.
  package static let longest = 4096

  /// Parses a line.
  ///
  /// - Parameters:
  ///   - line: The line.
  ///   - boot: The time of reception in nanoseconds since boot.
  /// - Returns: The reading. Its own time stamp `time_ns` is recorded, but alarms do not use it.
  /// - Throws: `NotificationLineError` with the reason.
  package static func read(_ line: some Collection<UInt8>, boot: Int64)
    throws(NotificationLineError) -> ReceivedReading
  {
    guard line.count <= longest else {
      throw NotificationLineError("the line exceeds \(longest) bytes")
    }
    let read: NotificationLine
    do {
      read = try JSONDecoder().decode(NotificationLine.self, from: Data(line))
    } catch {
      throw NotificationLineError(reason(error))
    }
    let kind = try read.kind.map { name throws(NotificationLineError) in
      guard let kind = TagCatalogue.kind(named: name) else {
        let known = TagCatalogue.all.map(\.name).joined(separator: ", ")
        throw NotificationLineError("unknown kind of tag '\(name.prefix(40))' (accepted: \(known))")
      }
      return kind
    }
    let digits = Array((read.raw ?? "").utf8)
    let raw = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
    }
    guard raw.count * 2 == digits.count else {
      throw NotificationLineError("'raw' must be pairs of hexadecimal digits")
    }
    let characteristic = UInt16(read.characteristic ?? "0", radix: 16)
    guard let characteristic else {
      throw NotificationLineError("'characteristic' must be four hexadecimal digits, such as AA21")
    }
    if let time = read.time_ns, !(0...7_000_000_000_000_000_000).contains(time) {
      throw NotificationLineError("'time_ns' must be nanoseconds since 1970, up to 2191")
    }
    return ReceivedReading(
      read.reading(of: kind, characteristic, raw), boot: boot, stamp: read.time_ns)
  }

  /// Returns the reason why a line cannot be decoded.
  private static func reason(_ error: any Error) -> String {
    guard case DecodingError.typeMismatch(_, let context) = error,
      let name = context.codingPath.first?.stringValue
    else { return "the line is not a JSON object with a text 'tag'" }
    let isNumber = ["rssi", "battery", "time_ns"].contains(name)
    return "'\(name)' must be a \(isNumber ? "whole number" : "text")"
  }

  /// Returns the reading, which is decoded if the kind and the characteristic are known.
  private func reading(
    of kind: TagKind?, _ characteristic: UInt16, _ raw: [UInt8]
  ) -> TagReading {
    let address = tag.uppercased()
    let digits = String(characteristic, radix: 16, uppercase: true)
    let padded = String(repeating: "0", count: 4 - digits.utf8.count) + digits
    var reading =
      kind?.reading(raw, of: characteristic, tag: address, at: 0)
      ?? TagReading(
        hub: "", sequence: 0, time: 0, tag: address, kind: kind?.name ?? "",
        characteristic: characteristic == 0 ? "" : padded, raw: raw)
    // An impossible level is unknown; the values of the line are still those of the sensor.
    let level = battery.flatMap { (0...100).contains($0) ? $0 : nil }
    (reading.rssi, reading.battery, reading.firmware) = (rssi, level, firmware)
    return reading
  }
}

/// The reason why a line is not a valid notification.
package struct NotificationLineError: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
