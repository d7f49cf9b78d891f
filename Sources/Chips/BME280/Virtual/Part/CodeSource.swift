public import BME280

/// What a part's converters give, where that is known instead of the air: recorded earlier, for example.
public protocol CodeSource: AnyObject {
  /// The codes of a conversion that ends at a time in nanoseconds.
  func codes(at time: UInt64) -> RawMeasurement
}
