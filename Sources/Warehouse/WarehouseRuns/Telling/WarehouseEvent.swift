package import Text
import Warehouse

/// What happens in a run of a warehouse, as it is told: one table of kinds and fields for every format.
package struct WarehouseEvent: Sendable {
  /// The kinds of events; what they are about stands in their fields.
  package enum Kind: String, Sendable, CaseIterable {
    /// The run begins, and what it is.
    case rig
    /// An entry of the log of alarms, named by its field `entry`.
    case alarm
    /// A command of a person was done, or refused.
    case command
    /// A program was killed, or is back.
    case program
    /// What was written and what arrived, at the end.
    case delivery
    /// What the article's formula would have told, at the end.
    case article
    /// An expectation and what was found.
    case expectation
    /// Whether all was met; last.
    case verdict
  }

  package let kind: Kind
  /// When, in nanoseconds since the start.
  package let time: Int64
  /// What is told, in order.
  package let fields: [(key: String, value: JSONValue)]
  /// The same as a line for people.
  package let line: String

  /// The event as one line of JSON.
  package var json: String {
    JSONValue.object(
      [
        ("event", .string(kind.rawValue)),
        ("t", .number(Decimal.shortest(Double(time) / 1e9))),
      ] + fields
    ).compact
  }

  /// The event as a line for people: when, and what.
  package var text: String {
    "\(Decimal.elapsed(UInt64(max(time, 0))).leftPadded(12))  \(line.visible)"
  }
}

extension String {
  fileprivate func leftPadded(_ width: Int) -> String {
    String(repeating: " ", count: max(width - count, 0)) + self
  }
}
