import Foundation
import Warehouse

/// A notification of a tag as one line of JSON, as other gateways can give it.
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

  /// The longest line, in bytes.
  package static let longest = 4096

  /// Reads a line.
  ///
  /// - Parameters:
  ///   - line: the line.
  ///   - boot: when it came, in nanoseconds since the machine started.
  /// - Returns: what was heard; a moment of its own, `time_ns`, is recorded and judges nothing.
  /// - Throws: ``NotificationLineError``, with what is wrong.
  package static func read(_ line: some Collection<UInt8>, boot: Int64)
    throws(NotificationLineError) -> HeardReading
  {
    guard line.count <= longest else {
      throw NotificationLineError("it is longer than \(longest) bytes")
    }
    let read: NotificationLine
    do {
      read = try JSONDecoder().decode(NotificationLine.self, from: Data(line))
    } catch {
      throw NotificationLineError("it is no JSON object with the text 'tag'")
    }
    let kind = try read.kind.map { name throws(NotificationLineError) in
      guard let kind = TagCatalogue.kind(named: name) else {
        let known = TagCatalogue.all.map(\.name).joined(separator: ", ")
        throw NotificationLineError("'\(name.prefix(40))' is no kind of tag (known: \(known))")
      }
      return kind
    }
    let digits = Array((read.raw ?? "").utf8)
    let raw = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
    }
    guard raw.count * 2 == digits.count else {
      throw NotificationLineError("'raw' is no pairs of hexadecimal digits")
    }
    let characteristic = UInt16(read.characteristic ?? "0", radix: 16)
    guard let characteristic else {
      throw NotificationLineError("'characteristic' is no four hexadecimal digits, such as AA21")
    }
    if let time = read.time_ns, !(0...7_000_000_000_000_000_000).contains(time) {
      throw NotificationLineError("'time_ns' is no nanoseconds since 1970, up to 2191")
    }
    return HeardReading(
      read.reading(of: kind, characteristic, raw), boot: boot, stamp: read.time_ns)
  }

  /// The reading of a line, decoded where the kind and the characteristic say how.
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
    (reading.rssi, reading.battery, reading.firmware) = (rssi, battery, firmware)
    return reading
  }
}

/// Why a line is no notification.
package struct NotificationLineError: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
