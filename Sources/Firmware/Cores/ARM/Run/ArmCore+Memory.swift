/// Loads and stores that are not plain: the core's own registers, unaligned ones, devices, code, and pages that the
/// program comes to for the first time.
extension ArmCore {
  /// Whether an address is one of the core's own registers; from 0xE0040000 on the maker of the part has some.
  static func isOwn(_ address: UInt32) -> Bool {
    address >> 18 == 0xE000_0000 >> 18 || address >> 12 == 0xE00F_F000 >> 12
  }

  /// Reads 1, 2 or 4 bytes; a negative number is an ``ArmRefusal``.
  func slowLoad(_ address: UInt32, _ request: UInt32) -> Int64 {
    let (bytes, user) = (request & 7, request & ArmAccess.asUser)
    guard address & (bytes - 1) == 0 else {
      var value: UInt32 = 0
      for index in 0..<bytes {
        let byte = slowLoad(address &+ index, 1 | user)
        guard byte >= 0 else { return byte }
        value |= UInt32(truncatingIfNeeded: byte) << (index * 8)
      }
      return Int64(value)
    }
    if Self.isOwn(address) {
      guard isPrivileged, user == 0 else { return ArmRefusal.bus }
      trace?.hasUsedOwn = true
      return Int64(readControl(address, bytes: bytes))
    }
    if address >= AddressSpace.plainLimit, !protection.isOn, watches.isEmpty {
      return memory.read(address, bytes: bytes).map(Int64.init) ?? ArmRefusal.bus
    }
    let rights = user == 0 ? currentRights : userRights
    guard protection.allows(address, to: .load, by: rights) else { return ArmRefusal.protection }
    if !watches.isEmpty { noteAccess(address, bytes, isStore: false) }
    guard let value = memory.read(address, bytes: bytes) else { return ArmRefusal.bus }
    if address < AddressSpace.plainLimit, rights == self.rights { showLoads(address) }
    return Int64(value)
  }

  /// Writes 1, 2 or 4 bytes; a negative number is an ``ArmRefusal``.
  func slowStore(_ address: UInt32, _ value: UInt32, _ request: UInt32) -> Int64 {
    let (bytes, user) = (request & 7, request & ArmAccess.asUser)
    guard address & (bytes - 1) == 0 else {
      for index in 0..<bytes {
        let done = slowStore(address &+ index, value >> (index * 8) & 0xFF, 1 | user)
        guard done >= 0 else { return done }
      }
      return 0
    }
    if Self.isOwn(address) { return user == 0 ? storeOwn(address, value, bytes) : ArmRefusal.bus }
    if address >= AddressSpace.plainLimit, !protection.isOn, watches.isEmpty, trace == nil {
      return memory.write(address, value, bytes: bytes) ? 0 : ArmRefusal.bus
    }
    let rights = user == 0 ? currentRights : userRights
    guard protection.allows(address, to: .store, by: rights) else { return ArmRefusal.protection }
    if !watches.isEmpty { noteAccess(address, bytes, isStore: true) }
    if trace != nil, changes(address, value, bytes) { trace?.hasChanged = true }
    guard memory.write(address, value, bytes: bytes) else { return ArmRefusal.bus }
    guard address < AddressSpace.plainLimit else { return 0 }
    if codePage(of: address) != nil {
      invalidate(address, count: bytes)
    } else if rights == self.rights {
      showStores(address)
    }
    return 0
  }

  private func storeOwn(_ address: UInt32, _ value: UInt32, _ bytes: UInt32) -> Int64 {
    let isTrigger = address == 0xE000_EF00 && control.configuration & 2 != 0
    guard isPrivileged || isTrigger else { return ArmRefusal.bus }
    trace?.hasUsedOwn = true
    isSettled = false
    writeControl(address, value, bytes: bytes)
    return 0
  }
}
