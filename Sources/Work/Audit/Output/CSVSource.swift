import Files
import Quantities

/// Finds values in columns that commas, semicolons or tabs part.
final class CSVSource: ValueSource {
  private static let form = CSV.Form(separators: ",;\t", isPadded: true)
  private let assignments: [Assignment]
  /// The index of the column of each assignment; `nil` before the header.
  private var columns: [Int]?

  init(_ assignments: [Assignment]) {
    self.assignments = assignments
    let numbers = assignments.compactMap { Int($0.place) }
    if numbers.count == assignments.count { columns = numbers.map { $0 - 1 } }
  }

  var quantities: Set<Quantity> { Set(assignments.map(\.unit.quantity)) }

  func values(in line: String) -> [ShownValue] {
    guard let fields = CSV.fields(of: line.utf8, Self.form) else { return [] }
    guard let columns else {
      let found = assignments.compactMap { fields.firstIndex(of: $0.place) }
      if found.count == assignments.count { self.columns = found }
      return []
    }
    return zip(columns, assignments).compactMap { column, assignment in
      guard fields.indices.contains(column) else { return nil }
      let value = ShownValue(fields[column], assignment.unit)
      return value.value == nil && !["nan", "NaN", ""].contains(fields[column]) ? nil : value
    }
  }
}
