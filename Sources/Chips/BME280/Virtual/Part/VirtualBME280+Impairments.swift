import Environment
public import VirtualI2C
import VirtualParts

extension VirtualBME280 {
  /// Falls into a condition; a dip of the supply starts the part anew at once.
  public func impair(_ condition: TargetCondition, of fault: Int, count: Int, at time: UInt64) {
    advance(to: time)
    impairments.add(condition, of: fault, count: count, at: time)
    if case .partialMemory = condition {
      reset(at: time, copyTime: options.unknown.powerOnCopyTime)
    }
  }

  /// How many effects the condition of a fault has had so far.
  public func effects(of fault: Int) -> Int { impairments.effects(of: fault) }

  /// Copies the memory, as well as the conditions let it.
  func copyMemory() {
    image = nvm
    guard !impairments.isEmpty else { return }
    var copy = nvm
    impairments.act { impairment in
      switch impairment.condition {
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
}
