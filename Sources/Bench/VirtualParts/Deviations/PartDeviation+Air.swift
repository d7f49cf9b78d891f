public import Environment
public import Quantities

extension PartDeviation {
  /// Moves the air that a part senses by this error, some times.
  public func shift(_ air: inout Air, times: Double = 1) {
    air.pressure += pressure * times
    air.temperature += temperature * times
    air.humidity += humidity * times
  }
}
