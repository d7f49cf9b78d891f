/// The four points of a grid around a place, and how much each weighs.
package struct GridCell: Hashable, Sendable {
  /// The row and the column of the first point; the second row is one further.
  package let row, column: Int
  /// The second column: one further, or where a grid closes around the Earth its other end.
  package let nextColumn: Int
  /// How far the place lies between the two rows and columns, 0 to 1.
  package let rowShare, columnShare: Double
  /// The direction of the grid's rows at the place: radians north of east.
  package let turn: Double
  /// The length of the cell's sides in km, on average.
  package let size: Double

  /// The value at the place.
  ///
  /// - Parameter corners: first row's two points, then the second's.
  /// - Returns: bilinear; NaN where a point that weighs is missing.
  package func value(_ corners: (Double, Double, Double, Double)) -> Double {
    let weights = (
      (1 - rowShare) * (1 - columnShare), (1 - rowShare) * columnShare,
      rowShare * (1 - columnShare), rowShare * columnShare
    )
    var sum = 0.0
    if weights.0 > 0 { sum += weights.0 * corners.0 }
    if weights.1 > 0 { sum += weights.1 * corners.1 }
    if weights.2 > 0 { sum += weights.2 * corners.2 }
    if weights.3 > 0 { sum += weights.3 * corners.3 }
    return sum
  }
}
