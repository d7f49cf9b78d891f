/// Loads and stores: one look-up for plain memory, a call for the rest. `nil` and `false` are faults, already asked for.
extension ArmStep {
  @inline(__always)
  private func plain(
    _ table: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ address: UInt32, _ mask: UInt32
  ) -> UnsafeMutableRawPointer? {
    guard address < AddressSpace.plainLimit, address & mask == 0,
      let page = table[Int(address >> AddressSpace.pageBits)]
    else { return nil }
    return page + Int(address & (AddressSpace.pageSize - 1))
  }

  /// A load of a width.
  @inline(__always)
  func load<Width: FixedWidthInteger & UnsignedInteger>(
    _ address: UInt32, _ width: Width.Type
  ) -> UInt32? {
    let bytes = UInt32(MemoryLayout<Width>.size)
    if let place = plain(cpu.pointee.readable, address, bytes &- 1) {
      return UInt32(truncatingIfNeeded: place.load(as: Width.self))
    }
    return slowLoad(address, bytes)
  }

  /// A store of a width.
  @inline(__always)
  func store<Width: FixedWidthInteger & UnsignedInteger>(
    _ address: UInt32, _ value: UInt32, _ width: Width.Type
  ) -> Bool {
    let bytes = UInt32(MemoryLayout<Width>.size)
    if let place = plain(cpu.pointee.writable, address, bytes &- 1) {
      place.storeBytes(of: Width(truncatingIfNeeded: value), as: Width.self)
      return true
    }
    return slowStore(address, value, bytes)
  }

  /// A load that is not plain; `asUser` gives it the rights of an unprivileged program, whoever runs.
  @inline(never)
  func slowLoad(_ address: UInt32, _ bytes: UInt32, asUser: Bool = false) -> UInt32? {
    guard isAllowed(address, bytes) else { return nil }
    let request = asUser ? bytes | ArmAccess.asUser : bytes
    let value = cpu.pointee.slowLoad(cpu.pointee.owner, address, request)
    guard value >= 0 else {
      _ = ask(value == ArmRefusal.protection ? .dataProtection : .dataBus, address)
      return nil
    }
    return UInt32(truncatingIfNeeded: value)
  }

  /// A store that is not plain; `asUser` gives it the rights of an unprivileged program, whoever runs.
  @inline(never)
  func slowStore(
    _ address: UInt32, _ value: UInt32, _ bytes: UInt32, asUser: Bool = false
  ) -> Bool {
    guard isAllowed(address, bytes) else { return false }
    let request = asUser ? bytes | ArmAccess.asUser : bytes
    let refusal = cpu.pointee.slowStore(cpu.pointee.owner, address, value, request)
    guard refusal >= 0 else {
      _ = ask(refusal == ArmRefusal.protection ? .dataProtection : .dataBus, address)
      return false
    }
    return true
  }

  /// Faults an access that is not aligned where that is trapped.
  private func isAllowed(_ address: UInt32, _ bytes: UInt32) -> Bool {
    guard address & (bytes - 1) != 0, cpu.pointee.trapsUnaligned || cpu.pointee.isBaseline else {
      return true
    }
    _ = ask(.unaligned, address)
    return false
  }

  /// Faults an access of several words, or an exclusive one, that is not aligned.
  @inline(__always)
  func isAligned(_ address: UInt32, _ mask: UInt32 = 3) -> Bool {
    if address & mask == 0 { return true }
    _ = ask(.unaligned, address)
    return false
  }
}
