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

  @inline(__always)
  func load32(_ address: UInt32) -> UInt32? {
    if let place = plain(cpu.pointee.readable, address, 3) { return place.load(as: UInt32.self) }
    return slowLoad(address, 4)
  }

  @inline(__always)
  func load16(_ address: UInt32) -> UInt32? {
    if let place = plain(cpu.pointee.readable, address, 1) {
      return UInt32(place.load(as: UInt16.self))
    }
    return slowLoad(address, 2)
  }

  @inline(__always)
  func load8(_ address: UInt32) -> UInt32? {
    if let place = plain(cpu.pointee.readable, address, 0) {
      return UInt32(place.load(as: UInt8.self))
    }
    return slowLoad(address, 1)
  }

  @inline(__always)
  func store32(_ address: UInt32, _ value: UInt32) -> Bool {
    if let place = plain(cpu.pointee.writable, address, 3) {
      place.storeBytes(of: value, as: UInt32.self)
      return true
    }
    return slowStore(address, value, 4)
  }

  @inline(__always)
  func store16(_ address: UInt32, _ value: UInt32) -> Bool {
    if let place = plain(cpu.pointee.writable, address, 1) {
      place.storeBytes(of: UInt16(truncatingIfNeeded: value), as: UInt16.self)
      return true
    }
    return slowStore(address, value, 2)
  }

  @inline(__always)
  func store8(_ address: UInt32, _ value: UInt32) -> Bool {
    if let place = plain(cpu.pointee.writable, address, 0) {
      place.storeBytes(of: UInt8(truncatingIfNeeded: value), as: UInt8.self)
      return true
    }
    return slowStore(address, value, 1)
  }

  @inline(never)
  private func slowLoad(_ address: UInt32, _ bytes: UInt32) -> UInt32? {
    guard isAllowed(address, bytes) else { return nil }
    let value = cpu.pointee.slowLoad(cpu.pointee.owner, address, bytes)
    guard value >= 0 else {
      _ = ask(value == ArmRefusal.protection ? .dataProtection : .dataBus, address)
      return nil
    }
    return UInt32(truncatingIfNeeded: value)
  }

  @inline(never)
  private func slowStore(_ address: UInt32, _ value: UInt32, _ bytes: UInt32) -> Bool {
    guard isAllowed(address, bytes) else { return false }
    let refusal = cpu.pointee.slowStore(cpu.pointee.owner, address, value, bytes)
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
