import _Volatile

/// The registers of a peripheral, by their offset from its page.
struct Registers {
  /// The address of its page.
  let base: UInt

  /// The peripheral with a number, which is that of its page and of its interrupt.
  init(peripheral: UInt) { base = 0x4000_0000 + peripheral << 12 }

  /// Registers at an address.
  init(at base: UInt) { self.base = base }

  /// A register.
  subscript(offset: UInt) -> UInt32 {
    get { VolatileMappedRegister<UInt32>(unsafeBitPattern: base + offset).load() }
    nonmutating set {
      VolatileMappedRegister<UInt32>(unsafeBitPattern: base + offset).store(newValue)
    }
  }
}
