/// The memory protection unit (PMSAv7) with eight regions; the matching region with the highest number applies.
struct ArmMPU {
  /// The kind of an access.
  enum Access { case load, store, fetch }

  /// The access rights of the program; ``unchecked`` while the MPU is disabled or does not apply.
  enum Rights { case unchecked, privileged, unprivileged }

  static let count = 8
  /// CTRL: ENABLE, HFNMIENA, PRIVDEFENA.
  var control: UInt32 = 0
  /// RNR: the region that RBAR and RASR select.
  var number = 0
  /// RBAR without its low five bits, and RASR.
  private(set) var bases = InlineArray<8, UInt32>(repeating: 0)
  private(set) var attributes = InlineArray<8, UInt32>(repeating: 0)

  var isOn: Bool { control & 1 != 0 }
  var holdsInHardFault: Bool { control & 2 != 0 }
  private var hasBackground: Bool { control & 4 != 0 }

  /// RBAR; a write with VALID set also selects the region.
  var base: UInt32 {
    get { bases[number] | UInt32(number) }
    set {
      if newValue & 16 != 0 { number = Int(newValue & 7) }
      bases[number] = newValue & ~31
    }
  }

  /// RASR.
  var attribute: UInt32 {
    get { attributes[number] }
    set { attributes[number] = newValue & 0x173F_FF3F }
  }

  /// Returns whether an access is allowed.
  func allows(_ address: UInt32, to access: Access, by rights: Rights) -> Bool {
    guard rights != .unchecked else { return true }
    for index in (0..<Self.count).reversed() where covers(index, address) {
      return Self.allows(attributes[index], access, rights)
    }
    return allowsBackground(address, access, rights)
  }

  /// Returns whether an access is allowed to every address of a page.
  func allowsPage(_ address: UInt32, to access: Access, by rights: Rights) -> Bool {
    guard rights != .unchecked else { return true }
    let first = address & ~(AddressSpace.pageSize - 1)
    for index in (0..<Self.count).reversed() where overlaps(index, first) {
      guard isUniform(index, first) else { return false }
      if covers(index, first) { return Self.allows(attributes[index], access, rights) }
    }
    return allowsBackground(first, access, rights)
  }

  private func allowsBackground(_ address: UInt32, _ access: Access, _ rights: Rights) -> Bool {
    hasBackground && rights == .privileged && (access != .fetch || !Self.isNeverCode(address))
  }

  /// Returns whether the memory map marks an address as execute-never: peripherals, devices and the system region.
  static func isNeverCode(_ address: UInt32) -> Bool {
    address >> 29 == 2 || address >= 0xA000_0000
  }

  /// The exponent of a region's size; 32 for 4 GiB.
  private func bits(_ index: Int) -> UInt32 { (attributes[index] >> 1 & 31) + 1 }

  private func isWithin(_ index: Int, _ address: UInt32) -> Bool {
    let bits = bits(index)
    return attributes[index] & 1 != 0 && (bits >= 32 || (address ^ bases[index]) >> bits == 0)
  }

  /// Returns whether a region and the subregion of the address are enabled.
  private func covers(_ index: Int, _ address: UInt32) -> Bool {
    guard isWithin(index, address) else { return false }
    let bits = bits(index)
    return bits < 8 || attributes[index] >> (8 + address >> (bits - 3) & 7) & 1 == 0
  }

  private func overlaps(_ index: Int, _ page: UInt32) -> Bool {
    isWithin(index, page)
      || attributes[index] & 1 != 0 && bases[index] & ~(AddressSpace.pageSize - 1) == page
  }

  /// Returns whether a region treats all addresses of a page that it overlaps alike.
  private func isUniform(_ index: Int, _ page: UInt32) -> Bool {
    let isSplit = attributes[index] >> 8 & 0xFF != 0
    return bits(index) >= AddressSpace.pageBits + (isSplit ? 3 : 0)
  }

  /// Returns whether AP and XN of a region allow an access.
  private static func allows(_ attribute: UInt32, _ access: Access, _ rights: Rights) -> Bool {
    if access == .fetch, attribute >> 28 & 1 != 0 { return false }
    let isPrivileged = rights == .privileged
    return switch attribute >> 24 & 7 {
    case 1: isPrivileged
    case 2: isPrivileged || access != .store
    case 3: true
    case 5: isPrivileged && access != .store
    case 6, 7: access != .store
    default: false
    }
  }
}
