/// The slow path of loads and stores, which handles core registers, unaligned accesses, devices, code pages, and the
/// first access to a page.
extension ArmCore {
  /// Returns whether an address belongs to the core registers from 0xE0000000 to 0xE003FFFF, or to the ROM table at
  /// 0xE00FF000.
  static func isCoreRegister(_ address: UInt32) -> Bool {
    address >> 18 == 0xE000_0000 >> 18 || address >> 12 == 0xE00F_F000 >> 12
  }

  /// Reads 1, 2 or 4 bytes.
  ///
  /// Returns a negative `ArmAccessError` on failure.
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
    if Self.isCoreRegister(address) {
      guard isPrivileged, user == 0 else { return ArmAccessError.bus }
      trace?.hasUsedCoreRegister = true
      return Int64(readControl(address, bytes: bytes))
    }
    if address >= AddressSpace.plainLimit, !protection.isOn, watches.isEmpty {
      return memory.read(address, bytes: bytes).map(Int64.init) ?? ArmAccessError.bus
    }
    let rights = user == 0 ? currentRights : userRights
    guard protection.allows(address, to: .load, by: rights) else {
      return ArmAccessError.protection
    }
    if !watches.isEmpty { noteAccess(address, bytes, isStore: false) }
    guard let value = memory.read(address, bytes: bytes) else { return ArmAccessError.bus }
    if address < AddressSpace.plainLimit, rights == self.rights { enableFastLoads(address) }
    return Int64(value)
  }

  /// Writes 1, 2 or 4 bytes.
  ///
  /// Returns a negative `ArmAccessError` on failure.
  func slowStore(_ address: UInt32, _ value: UInt32, _ request: UInt32) -> Int64 {
    let (bytes, user) = (request & 7, request & ArmAccess.asUser)
    guard address & (bytes - 1) == 0 else {
      for index in 0..<bytes {
        let done = slowStore(address &+ index, value >> (index * 8) & 0xFF, 1 | user)
        guard done >= 0 else { return done }
      }
      return 0
    }
    if Self.isCoreRegister(address) {
      return user == 0 ? storeCoreRegister(address, value, bytes) : ArmAccessError.bus
    }
    if address >= AddressSpace.plainLimit, !protection.isOn, watches.isEmpty, trace == nil {
      return memory.write(address, value, bytes: bytes) ? 0 : ArmAccessError.bus
    }
    let rights = user == 0 ? currentRights : userRights
    guard protection.allows(address, to: .store, by: rights) else {
      return ArmAccessError.protection
    }
    if !watches.isEmpty { noteAccess(address, bytes, isStore: true) }
    if trace != nil, changes(address, value, bytes) { trace?.hasChanged = true }
    guard memory.write(address, value, bytes: bytes) else { return ArmAccessError.bus }
    guard address < AddressSpace.plainLimit else { return 0 }
    if codePage(of: address) != nil {
      invalidate(address, count: bytes)
    } else if rights == self.rights {
      enableFastStores(address)
    }
    return 0
  }

  private func storeCoreRegister(_ address: UInt32, _ value: UInt32, _ bytes: UInt32) -> Int64 {
    let isTrigger = address == ControlRegister.stir && control.configuration & 2 != 0
    guard isPrivileged || isTrigger else { return ArmAccessError.bus }
    trace?.hasUsedCoreRegister = true
    isSettled = false
    writeControl(address, value, bytes: bytes)
    return 0
  }
}

/// The page tables of the fast path.
///
/// Pages are added on first access and removed when the access rights change. A program that runs without a debugger and
/// leaves the MPU off therefore has no overhead.
extension ArmCore {
  /// Adds a page to the fast path of loads, unless a watchpoint or the MPU must check each load.
  func enableFastLoads(_ address: UInt32) {
    let index = Int(address >> AddressSpace.pageBits)
    guard address < AddressSpace.plainLimit, state.pointee.readable[index] == nil,
      let page = memory.readable[index],
      !watches.contains(where: { $0.onLoad && $0.touches(page: index) }),
      protection.allowsPage(address, to: .load, by: rights)
    else { return }
    state.pointee.readable[index] = page
    fastPages.append(index)
  }

  /// Adds a page to the fast path of stores; pages with decoded instructions are excluded.
  func enableFastStores(_ address: UInt32) {
    let index = Int(address >> AddressSpace.pageBits)
    guard trace == nil, address < AddressSpace.plainLimit, state.pointee.writable[index] == nil,
      let page = memory.writable[index],
      code[index] == nil, !watches.contains(where: { $0.onStore && $0.touches(page: index) }),
      protection.allowsPage(address, to: .store, by: rights)
    else { return }
    state.pointee.writable[index] = page
    fastPages.append(index)
  }

  /// Removes all pages from the fast path.
  func disableFastPath() {
    for index in fastPages {
      state.pointee.readable[index] = nil
      state.pointee.writable[index] = nil
    }
    fastPages.removeAll(keepingCapacity: true)
  }
}

/// Access rights of the running program.
extension ArmCore {
  /// `true` if the program runs with privileged access rights.
  var isPrivileged: Bool { state.pointee.exception != 0 || !state.pointee.unprivileged }

  /// The access rights that the MPU currently checks.
  var currentRights: ArmMPU.Rights {
    guard protection.isOn else { return .unchecked }
    if !protection.holdsInHardFault, executionPriority < 0 { return .unchecked }
    return isPrivileged ? .privileged : .unprivileged
  }

  /// The access rights of LDRT and STRT, which are unprivileged in any mode.
  var userRights: ArmMPU.Rights {
    currentRights == .unchecked ? .unchecked : .unprivileged
  }

  /// Removes all pages from the fast path if the access rights or the MPU regions have changed.
  func refreshRights() {
    let now = currentRights
    guard now != rights || hasNewRegions else { return }
    rights = now
    hasNewRegions = false
    disableFastPath()
    for index in decodedPages { state.pointee.decoded[index] = nil }
    rightsAge &+= 1
  }

  /// Reads an MPU register; the first is MPU_TYPE at 0xE000ED90.
  func readProtection(_ address: UInt32) -> UInt32 {
    guard !model.isBaseline else { return 0 }
    switch address {
    case ControlRegister.mpuType: return UInt32(ArmMPU.count) << 8
    case ControlRegister.mpuCtrl: return protection.control
    case ControlRegister.mpuRnr: return UInt32(protection.number)
    case _ where ControlRegister.isRbar(address): return protection.base
    default: return protection.attribute
    }
  }

  /// Writes an MPU register.
  func writeProtection(_ address: UInt32, _ value: UInt32) {
    guard !model.isBaseline else { return }
    switch address {
    case ControlRegister.mpuType: return
    case ControlRegister.mpuCtrl: protection.control = value & 7
    case ControlRegister.mpuRnr: protection.number = Int(value & 7)
    case _ where ControlRegister.isRbar(address): protection.base = value
    default: protection.attribute = value
    }
    hasNewRegions = true
  }
}
