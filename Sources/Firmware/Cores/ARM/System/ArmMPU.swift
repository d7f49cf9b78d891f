/// The memory protection unit (PMSAv7) with eight regions; the matching region with the highest number applies.
struct ArmMPU {
  /// The kind of an access.
  enum Access { case load, store, fetch }

  /// The access rights of the program; `unchecked` while the MPU is disabled or ignored at the current priority.
  enum Rights { case unchecked, privileged, unprivileged }

  static let count = 8
  /// CTRL: ENABLE, HFNMIENA, PRIVDEFENA.
  var control: UInt32 = 0
  /// RNR: the number of the region that RBAR and RASR access.
  var number = 0
  /// The value of RBAR for each region, without its low five bits.
  private(set) var bases = InlineArray<8, UInt32>(repeating: 0)
  /// The value of RASR for each region.
  private(set) var attributes = InlineArray<8, UInt32>(repeating: 0)

  var isOn: Bool { control & 1 != 0 }
  var holdsInHardFault: Bool { control & 2 != 0 }
  private var hasBackground: Bool { control & 4 != 0 }

  /// RBAR of the selected region; a write with VALID set first selects the region with the number in the value.
  var base: UInt32 {
    get { bases[number] | UInt32(number) }
    set {
      if newValue & 16 != 0 { number = Int(newValue & 7) }
      bases[number] = newValue & ~31
    }
  }

  /// RASR of the selected region.
  var attribute: UInt32 {
    get { attributes[number] }
    set { attributes[number] = newValue & 0x173F_FF3F }
  }

  /// Returns whether the MPU allows an access to an address.
  func allows(_ address: UInt32, to access: Access, by rights: Rights) -> Bool {
    guard rights != .unchecked else { return true }
    for index in (0..<Self.count).reversed() where covers(index, address) {
      return Self.allows(attributes[index], access, rights)
    }
    return allowsBackground(address, access, rights)
  }

  /// Returns whether the MPU allows an access to every address of a page.
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

  /// Returns whether the memory map marks an address as execute-never.
  ///
  /// This is the case in the peripheral, device and system regions.
  static func isNeverCode(_ address: UInt32) -> Bool {
    address >> 29 == 2 || address >= 0xA000_0000
  }

  /// The binary logarithm of a region's size in bytes; 32 for 4 GiB.
  private func bits(_ index: Int) -> UInt32 { (attributes[index] >> 1 & 31) + 1 }

  private func isWithin(_ index: Int, _ address: UInt32) -> Bool {
    let bits = bits(index)
    return attributes[index] & 1 != 0 && (bits >= 32 || (address ^ bases[index]) >> bits == 0)
  }

  /// Returns whether an address lies in a region that is enabled, and in an enabled subregion of it.
  private func covers(_ index: Int, _ address: UInt32) -> Bool {
    guard isWithin(index, address) else { return false }
    let bits = bits(index)
    return bits < 8 || attributes[index] >> (8 + address >> (bits - 3) & 7) & 1 == 0
  }

  private func overlaps(_ index: Int, _ page: UInt32) -> Bool {
    isWithin(index, page)
      || attributes[index] & 1 != 0 && bases[index] & ~(AddressSpace.pageSize - 1) == page
  }

  /// Returns whether a region that overlaps a page applies the same rule to all addresses of the page.
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
