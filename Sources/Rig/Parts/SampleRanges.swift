package import Quantities

/// The ranges of what a part measures; `nil` where it does not measure a quantity.
package typealias SampleRanges = PerQuantity<ClosedRange<Double>?>

extension SampleRanges {
  /// Whether all that a result holds lies within.
  package func contain(_ sample: Sample) -> Bool { outside(sample).isEmpty }

  /// The quantities of a result that lie outside: nobody vouches for their numbers.
  package func outside(_ sample: Sample) -> [Quantity] {
    Quantity.allCases.filter { quantity in
      guard let value = sample[quantity], let range = self[quantity] else { return false }
      return !range.contains(value)
    }
  }
}
