package import Quantities
package import Schema

/// How a table of weather is to be read.
package struct WeatherTable {
  /// One column: its name in the header and the unit of its numbers.
  package struct Column {
    package let name: String
    package let quantity: QuantityKind
    package let unit: QuantityUnit

    package init(name: String, quantity: QuantityKind, unit: QuantityUnit) {
      (self.name, self.quantity, self.unit) = (name, quantity, unit)
    }
  }

  package let path: String
  package let time: String
  /// The moment at which the run begins; that of the first row when `nil`.
  package let start: Int64?
  /// How long the run lasts; to the end of the table when `nil`.
  package let duration: Int64?
  /// The columns that the table has; a quantity without one is that of standard air.
  package let columns: [Column]
  package let missing: String?
  /// The longest gap that may be bridged; none when `nil`.
  package let longestGap: Int64?

  package init(
    path: String, time: String, start: Int64?, duration: Int64?, columns: [Column],
    missing: String?,
    longestGap: Int64?
  ) {
    (self.path, self.time) = (path, time)
    (self.start, self.duration) = (start, duration)
    (self.columns, self.missing, self.longestGap) = (columns, missing, longestGap)
  }
}
