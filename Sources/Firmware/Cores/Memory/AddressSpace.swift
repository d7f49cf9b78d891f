import Glibc

/// What a core sees behind its addresses: plain memory by pages, devices for the rest.
///
/// The lowest quarter of the 4 GiB, where microcontrollers have flash and RAM, is looked up in two tables of pages,
/// so that a load or store of plain memory is one look-up without a call. Everything else goes to a device.
package final class AddressSpace {
  /// Addresses below this one may be plain memory.
  package static let plainLimit: UInt32 = 0x4000_0000
  /// A page is 4 KiB.
  package static let pageBits: UInt32 = 12
  /// The bytes of a page.
  package static let pageSize: UInt32 = 1 << pageBits

  /// For each page what can be read there without asking anyone.
  package let readable: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  /// For each page what can be written there without asking anyone.
  package let writable: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  /// The plain memory.
  @exclusivity(unchecked) package private(set) var regions: [MemoryRegion] = []
  @exclusivity(unchecked) private var devices: [Unmanaged<Place>] = []
  /// For each block of 1 KiB the place of its device behind 1; 0 where there is none.
  private let owners: UnsafeMutablePointer<UInt16>
  private static let blockBits: UInt32 = 10
  private static let blocks = 1 << (32 - Int(blockBits))

  /// A device, and where it begins.
  private final class Place {
    let base: UInt32
    let device: any BusDevice

    init(base: UInt32, device: any BusDevice) { (self.base, self.device) = (base, device) }
  }

  /// Creates an empty address space: every access is a bus error.
  package init() {
    readable = PageTable.make(of: UnsafeMutableRawPointer.self)
    writable = PageTable.make(of: UnsafeMutableRawPointer.self)
    owners = PageTable.zeroed(Self.blocks * 2).bindMemory(to: UInt16.self, capacity: Self.blocks)
  }

  deinit {
    removeDevices()
    munmap(owners, Self.blocks * 2)
    PageTable.free(readable)
    PageTable.free(writable)
    for region in regions where !region.isAlias { region.bytes.deallocate() }
  }

  /// Adds plain memory, filled with one byte.
  ///
  /// - Precondition: it lies below ``plainLimit``, on whole pages.
  /// - Returns: the region, by whose bytes an image is put in.
  @discardableResult
  package func addMemory(
    at base: UInt32, count: UInt32, isWritable: Bool, filling: UInt8 = 0
  ) -> MemoryRegion {
    let mask = Self.pageSize - 1
    precondition(base & mask == 0 && count & mask == 0 && count > 0, "memory is whole pages")
    precondition(base < Self.plainLimit && count <= Self.plainLimit - base, "memory lies low")
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: Int(count), alignment: 4096)
    bytes.initializeMemory(as: UInt8.self, repeating: filling, count: Int(count))
    let region = MemoryRegion(base: base, count: count, isWritable: isWritable, bytes: bytes)
    show(region)
    return region
  }

  /// Shows plain memory at further addresses.
  ///
  /// What a core has decoded is kept by address: who changes code forgets it at both.
  ///
  /// - Precondition: those addresses lie below ``plainLimit``, on whole pages.
  package func addAlias(of region: MemoryRegion, at base: UInt32) {
    precondition(base & (Self.pageSize - 1) == 0, "memory is whole pages")
    precondition(
      base < Self.plainLimit && region.count <= Self.plainLimit - base, "memory lies low")
    show(
      MemoryRegion(
        base: base, count: region.count, isWritable: region.isWritable, isAlias: true,
        bytes: region.bytes))
  }

  private func show(_ region: MemoryRegion) {
    regions.append(region)
    for page in 0..<Int(region.count >> Self.pageBits) {
      let index = Int(region.base >> Self.pageBits) + page
      readable[index] = region.bytes + page << Int(Self.pageBits)
      if region.isWritable { writable[index] = readable[index] }
    }
  }

  /// Adds a device; of two at one address the later answers.
  ///
  /// - Precondition: it lies on whole blocks of 1 KiB.
  package func add(_ device: any BusDevice, at base: UInt32, count: UInt32) {
    let mask: UInt32 = 1 << Self.blockBits - 1
    precondition(base & mask == 0 && count & mask == 0, "a device has whole blocks")
    devices.append(.passRetained(Place(base: base, device: device)))
    let first = Int(base >> Self.blockBits)
    for block in first..<first + Int(count >> Self.blockBits) {
      owners[block] = UInt16(devices.count)
    }
  }

  /// Lets go of all devices, which hold their part as it holds them; no access may follow.
  package func removeDevices() {
    for place in devices { place.release() }
    devices = []
  }

  /// The plain memory at an address.
  package func region(at address: UInt32) -> MemoryRegion? {
    address < Self.plainLimit ? regions.first { $0.contains(address) } : nil
  }

  /// Reads 1, 2 or 4 bytes, at any alignment; `nil` is a bus error.
  package func read(_ address: UInt32, bytes: UInt32) -> UInt32? {
    if let region = region(at: address), region.contains(address &+ bytes &- 1) {
      let place = region.bytes + Int(address &- region.base)
      switch bytes {
      case 1: return UInt32(place.load(as: UInt8.self))
      case 2: return UInt32(UInt16(littleEndian: place.loadUnaligned(as: UInt16.self)))
      default: return UInt32(littleEndian: place.loadUnaligned(as: UInt32.self))
      }
    }
    let owner = Int(owners[Int(address >> Self.blockBits)])
    guard owner > 0 else { return nil }
    return devices[owner - 1]._withUnsafeGuaranteedRef {
      $0.device.read(address &- $0.base, bytes: bytes)
    }
  }

  /// Writes 1, 2 or 4 bytes, at any alignment.
  ///
  /// - Returns: whether anything took them. Memory that programs cannot write asks the device that was added at its
  ///   addresses, as the controller of a flash memory is; without one it is a bus error.
  package func write(_ address: UInt32, _ value: UInt32, bytes: UInt32) -> Bool {
    if let region = region(at: address), region.isWritable,
      region.contains(address &+ bytes &- 1)
    {
      let place = region.bytes + Int(address &- region.base)
      switch bytes {
      case 1: place.storeBytes(of: UInt8(truncatingIfNeeded: value), as: UInt8.self)
      case 2:
        place.storeBytes(of: UInt16(truncatingIfNeeded: value).littleEndian, as: UInt16.self)
      default: place.storeBytes(of: value.littleEndian, as: UInt32.self)
      }
      return true
    }
    let owner = Int(owners[Int(address >> Self.blockBits)])
    guard owner > 0 else { return false }
    return devices[owner - 1]._withUnsafeGuaranteedRef {
      $0.device.write(address &- $0.base, value, bytes: bytes)
    }
  }
}
