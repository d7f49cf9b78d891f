public import Environment
import Quantities
import VirtualI2C

extension Impairments {
  /// Makes a conversion take the longest time where a condition asks for it.
  ///
  /// - Parameters:
  ///   - time: how long it would take, in nanoseconds.
  ///   - longest: the longest time, in nanoseconds.
  /// - Returns: how long it takes, in nanoseconds.
  public mutating func conversionTime(_ time: UInt64, longest: UInt64) -> UInt64 {
    var impaired = time
    act { impairment in
      guard impairment.condition == .slow else { return false }
      impaired = longest
      return true
    }
    return impaired
  }

  /// Whether a new result is kept from the data registers by a condition.
  public mutating func freezeResult() -> Bool {
    var isFrozen = false
    act { impairment in
      guard impairment.condition == .frozen else { return false }
      isFrozen = true
      return true
    }
    return isFrozen
  }

  /// Moves the air that a part senses at a time in nanoseconds.
  public mutating func shift(_ air: inout Air, at time: UInt64) {
    act { impairment in
      switch impairment.condition {
      case .offset(let error):
        air.pressure += error.pressure
        air.temperature += error.temperature
        air.humidity += error.humidity
        return true
      case .drift(let error):
        let hours = Double(time - min(time, impairment.start)) / 3600e9
        air.pressure += error.pressure * hours
        air.temperature += error.temperature * hours
        air.humidity += error.humidity * hours
        return true
      default: return false
      }
    }
  }
}
