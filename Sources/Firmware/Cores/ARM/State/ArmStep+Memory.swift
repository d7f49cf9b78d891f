/// Loads and stores: one look-up for plain memory, a call for the rest. `nil` and `false` are faults, already asked for.
extension ArmStep {
  /// Where bytes of plain memory lie, none in the page behind; what is not aligned, only where it may be so.
  @inline(__always)
  private func plain(
    _ table: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ address: UInt32, _ mask: UInt32
  ) -> UnsafeMutableRawPointer? {
    guard address & mask & cpu.pointee.alignedBits == 0 else { return nil }
    return within(table, address, mask &+ 1)
  }

  /// Where bytes can be read that lie one behind the other in one page of plain memory, at any alignment.
  @inline(__always)
  func readable(_ address: UInt32, _ count: UInt32) -> UnsafeMutableRawPointer? {
    within(cpu.pointee.readable, address, count)
  }

  /// Where they can be written.
  @inline(__always)
  func writable(_ address: UInt32, _ count: UInt32) -> UnsafeMutableRawPointer? {
    within(cpu.pointee.writable, address, count)
  }

  @inline(__always)
  private func within(
    _ table: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ address: UInt32, _ count: UInt32
  ) -> UnsafeMutableRawPointer? {
    let offset = address & (AddressSpace.pageSize - 1)
    guard address < AddressSpace.plainLimit, offset &+ count <= AddressSpace.pageSize,
      let page = table[Int(address >> AddressSpace.pageBits)]
    else { return nil }
    return page + Int(offset)
  }

  /// A load of a width where it needs no call; `nil` where it does.
  @inline(__always)
  func plainLoad<Width: FixedWidthInteger & UnsignedInteger>(
    _ address: UInt32, _ width: Width.Type
  ) -> Width? {
    plain(cpu.pointee.readable, address, UInt32(MemoryLayout<Width>.size) &- 1)?
      .loadUnaligned(as: Width.self)
  }

  /// A store of a width where it needs no call.
  @inline(__always)
  func plainStore<Width: FixedWidthInteger & UnsignedInteger>(
    _ address: UInt32, _ value: UInt32, _ width: Width.Type
  ) -> Bool {
    guard
      let place = plain(cpu.pointee.writable, address, UInt32(MemoryLayout<Width>.size) &- 1)
    else { return false }
    place.storeBytes(of: Width(truncatingIfNeeded: value), as: Width.self)
    return true
  }

  /// A load of a width.
  @inline(__always)
  func load<Width: FixedWidthInteger & UnsignedInteger>(
    _ address: UInt32, _ width: Width.Type
  ) -> UInt32? {
    let bytes = UInt32(MemoryLayout<Width>.size)
    if let place = plain(cpu.pointee.readable, address, bytes &- 1) {
      return UInt32(truncatingIfNeeded: place.loadUnaligned(as: Width.self))
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
    if address & (bytes - 1) & cpu.pointee.alignedBits == 0 { return true }
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
