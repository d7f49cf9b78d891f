package import Quantities

/// The ranges of what a part measures; `nil` where it does not measure a quantity.
package typealias SampleRanges = PerQuantity<ClosedRange<Double>?>

extension SampleRanges {
  /// Whether all that a result holds lies within.
  package func contain(_ sample: Sample) -> Bool {
    Quantity.allCases.allSatisfy { quantity in
      sample[quantity].map { value in self[quantity]?.contains(value) ?? true } ?? true
    }
  }
}
