/// Conditions, and the flags as one word.
extension ArmState {
  /// Whether a condition holds, by its number.
  @inline(__always)
  func holds(_ condition: UInt8) -> Bool {
    let result =
      switch condition >> 1 {
      case 0: zero == 0
      case 1: carry != 0
      case 2: negative >> 31 != 0
      case 3: overflow >> 31 != 0
      case 4: carry != 0 && zero != 0
      case 5: (negative ^ overflow) >> 31 == 0
      case 6: zero != 0 && (negative ^ overflow) >> 31 == 0
      default: true
      }
    return condition & 1 != 0 && condition != 15 ? !result : result
  }

  /// N, Z, C, V, Q and GE where APSR has them.
  var flags: UInt32 {
    get {
      let nzcv = negative & 1 << 31 | (zero == 0 ? 1 << 30 : 0) | carry << 29
      return nzcv | (overflow >> 31) << 28 | saturated << 27 | greaterEqual << 16
    }
    set {
      setConditions(newValue)
      saturated = newValue >> 27 & 1
      greaterEqual = newValue >> 16 & 15
    }
  }

  /// Sets N, Z, C and V from the highest four bits of a word.
  mutating func setConditions(_ word: UInt32) {
    negative = word
    zero = ~word >> 30 & 1
    carry = word >> 29 & 1
    overflow = word << 3
  }

  /// ITSTATE as it stands in xPSR.
  static func spread(_ it: UInt8) -> UInt32 {
    UInt32(it & 3) << 25 | UInt32(it >> 2) << 10
  }

  /// xPSR.
  var xpsr: UInt32 {
    get { flags | exception | (thumb ? 1 << 24 : 0) | Self.spread(it) }
    set {
      flags = newValue
      exception = newValue & 0x1FF
      thumb = newValue >> 24 & 1 != 0
      it = UInt8(newValue >> 25 & 3 | newValue >> 8 & 0xFC)
    }
  }

  /// CONTROL.
  var control: UInt32 {
    (unprivileged ? 1 : 0) | (usesProcessStack ? 2 : 0) | (fpActive ? 4 : 0)
  }

  /// Makes the other stack pointer R13, where it is not yet.
  mutating func useProcessStack(_ uses: Bool) {
    guard uses != usesProcessStack else { return }
    usesProcessStack = uses
    (r[13], otherStack) = (otherStack, r[13])
  }
}
