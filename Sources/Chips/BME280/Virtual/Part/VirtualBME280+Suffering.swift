import Environment
public import VirtualI2C

extension VirtualBME280 {
  /// Falls into a condition; a dip of the supply starts the part anew at once.
  public func suffer(_ condition: TargetCondition, of fault: Int, count: Int, at time: UInt64) {
    advance(to: time)
    sufferings.add(condition, of: fault, count: count, at: time)
    if case .partialMemory = condition {
      reset(at: time, copyTime: options.unknown.powerOnCopyTime)
    }
  }

  /// How many effects the condition of a fault has had so far.
  public func effects(of fault: Int) -> Int { sufferings.effects(of: fault) }

  /// Copies the memory, as well as the conditions let it.
  func copyMemory() {
    image = nvm
    guard !sufferings.isEmpty else { return }
    var copy = nvm
    sufferings.act { suffering in
      switch suffering.condition {
      case .partialMemory(let kept):
        for index in copy.indices where index >= kept { copy[index] = 0 }
        return true
      case .wrongMemory(let byte, let mask) where copy.indices.contains(byte):
        copy[byte] ^= mask
        return true
      default: return false
      }
    }
    image = copy
  }

  /// The time of a conversion, stretched where a condition asks for it.
  func sufferedConversionTime(_ time: UInt64, maximum: UInt64) -> UInt64 {
    guard !sufferings.isEmpty else { return time }
    var stretched = time
    sufferings.act { suffering in
      guard suffering.condition == .slow else { return false }
      stretched = maximum
      return true
    }
    return stretched
  }

  /// Whether new results reach the data registers.
  func showsNewResults() -> Bool {
    guard !sufferings.isEmpty else { return true }
    var shows = true
    sufferings.act { suffering in
      guard suffering.condition == .frozen else { return false }
      shows = false
      return true
    }
    return shows
  }

  /// Moves the air that a part senses by what it suffers from.
  func shift(_ air: inout Air, at time: UInt64) {
    guard !sufferings.isEmpty else { return }
    sufferings.act { suffering in
      switch suffering.condition {
      case .offset(let pressure, let temperature, let humidity):
        air.pressure += pressure
        air.temperature += temperature
        air.humidity += humidity
        return true
      case .drift(let pressure, let temperature, let humidity):
        let hours = Double(time - min(time, suffering.start)) / 3600e9
        air.pressure += pressure * hours
        air.temperature += temperature * hours
        air.humidity += humidity * hours
        return true
      default: return false
      }
    }
  }
}
