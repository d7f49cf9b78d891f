import Glibc

/// The address map of a core, which consists of plain memory in pages and of devices.
///
/// Two page tables cover the lowest quarter of the 4 GiB, where microcontrollers have flash and RAM. A load or store of
/// plain memory is therefore one look-up without a call. All other accesses go to a device.
package final class AddressSpace {
  /// The end of the address range that may contain plain memory.
  package static let plainLimit: UInt32 = 0x4000_0000
  /// The binary logarithm of the page size, which is 4 KiB.
  package static let pageBits: UInt32 = 12
  /// The page size in bytes.
  package static let pageSize: UInt32 = 1 << pageBits

  /// The page table of readable plain memory.
  package let readable: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  /// The page table of writable plain memory.
  package let writable: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  /// The plain memory.
  @exclusivity(unchecked) package private(set) var regions: [MemoryRegion] = []
  @exclusivity(unchecked) private var devices: [Unmanaged<MappedDevice>] = []
  /// For each block of 1 KiB, the index of its device plus 1; 0 for a block without a device.
  private let owners: UnsafeMutablePointer<UInt16>
  private static let blockBits: UInt32 = 10
  private static let blocks = 1 << (32 - Int(blockBits))

  /// A device and its base address.
  private final class MappedDevice {
    let base: UInt32
    let device: any BusDevice

    init(base: UInt32, device: any BusDevice) { (self.base, self.device) = (base, device) }
  }

  /// Creates an empty address space, in which every access is a bus error.
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

  /// Adds plain memory, filled with one byte value.
  ///
  /// - Precondition: the memory is below `plainLimit` and consists of whole pages.
  /// - Returns: the region, whose bytes the caller may fill with an image.
  @discardableResult
  package func addMemory(
    at base: UInt32, count: UInt32, isWritable: Bool, filling: UInt8 = 0
  ) -> MemoryRegion {
    let mask = Self.pageSize - 1
    precondition(
      base & mask == 0 && count & mask == 0 && count > 0, "memory must consist of whole pages")
    precondition(
      base < Self.plainLimit && count <= Self.plainLimit - base, "memory must be below plainLimit")
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: Int(count), alignment: 4096)
    bytes.initializeMemory(as: UInt8.self, repeating: filling, count: Int(count))
    let region = MemoryRegion(base: base, count: count, isWritable: isWritable, bytes: bytes)
    show(region)
    return region
  }

  /// Maps plain memory at a second address.
  ///
  /// A core caches decoded instructions by address. After a change of code, the cached instructions at both addresses
  /// must therefore be discarded.
  ///
  /// - Precondition: the addresses are below `plainLimit` and aligned to pages.
  package func addAlias(of region: MemoryRegion, at base: UInt32) {
    precondition(base & (Self.pageSize - 1) == 0, "memory must consist of whole pages")
    precondition(
      base < Self.plainLimit && region.count <= Self.plainLimit - base,
      "memory must be below plainLimit")
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

  /// Adds a device, which replaces earlier devices at the same addresses.
  ///
  /// - Precondition: the device consists of whole blocks of 1 KiB.
  package func add(_ device: any BusDevice, at base: UInt32, count: UInt32) {
    let mask: UInt32 = 1 << Self.blockBits - 1
    precondition(base & mask == 0 && count & mask == 0, "a device must consist of whole blocks")
    devices.append(.passRetained(MappedDevice(base: base, device: device)))
    let first = Int(base >> Self.blockBits)
    for block in first..<first + Int(count >> Self.blockBits) {
      owners[block] = UInt16(devices.count)
    }
  }

  /// Removes all devices to break their reference cycle with the microcontroller.
  ///
  /// The address space must not be accessed afterwards.
  package func removeDevices() {
    for device in devices { device.release() }
    devices = []
  }

  /// Returns the plain memory at an address.
  package func region(at address: UInt32) -> MemoryRegion? {
    address < Self.plainLimit ? regions.first { $0.contains(address) } : nil
  }

  /// Reads 1, 2 or 4 bytes at any alignment; returns `nil` for a bus error.
  package func read(_ address: UInt32, bytes: UInt32) -> UInt32? {
    if let region = region(at: address), region.contains(address &+ bytes &- 1) {
      let pointer = region.bytes + Int(address &- region.base)
      switch bytes {
      case 1: return UInt32(pointer.load(as: UInt8.self))
      case 2: return UInt32(UInt16(littleEndian: pointer.loadUnaligned(as: UInt16.self)))
      default: return UInt32(littleEndian: pointer.loadUnaligned(as: UInt32.self))
      }
    }
    let owner = Int(owners[Int(address >> Self.blockBits)])
    guard owner > 0 else { return nil }
    return devices[owner - 1]._withUnsafeGuaranteedRef {
      $0.device.read(address &- $0.base, bytes: bytes)
    }
  }

  /// Writes 1, 2 or 4 bytes at any alignment.
  ///
  /// A write to read-only memory goes to the device at the same address, for example a flash controller. Without a
  /// device it is a bus error.
  ///
  /// - Returns: `false` for a bus error.
  package func write(_ address: UInt32, _ value: UInt32, bytes: UInt32) -> Bool {
    if let region = region(at: address), region.isWritable,
      region.contains(address &+ bytes &- 1)
    {
      let pointer = region.bytes + Int(address &- region.base)
      switch bytes {
      case 1: pointer.storeBytes(of: UInt8(truncatingIfNeeded: value), as: UInt8.self)
      case 2:
        pointer.storeBytes(of: UInt16(truncatingIfNeeded: value).littleEndian, as: UInt16.self)
      default: pointer.storeBytes(of: value.littleEndian, as: UInt32.self)
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

/// A table with one entry per page of plain memory, which occupies memory only for the entries in use.
enum PageTable {
  /// The number of entries: one for each page below `AddressSpace/plainLimit`.
  static let count = Int(AddressSpace.plainLimit >> AddressSpace.pageBits)

  /// Makes a table of `nil` entries.
  ///
  /// Anonymous mappings are zero and a zero pointer is `nil`, so the entries need not be written.
  static func make<Target>(of: Target.Type) -> UnsafeMutablePointer<Target?> {
    let bytes = zeroed(count * MemoryLayout<Target?>.stride)
    return bytes.bindMemory(to: Target?.self, capacity: count)
  }

  /// Frees a table.
  static func free<Target>(_ table: UnsafeMutablePointer<Target?>) {
    munmap(table, count * MemoryLayout<Target?>.stride)
  }

  /// Returns zeroed memory whose pages are allocated on first write.
  static func zeroed(_ count: Int) -> UnsafeMutableRawPointer {
    let (access, kind) = (PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)
    guard let bytes = mmap(nil, count, access, kind, -1, 0), bytes != MAP_FAILED else {
      fatalError("cannot map \(count) bytes for a table")
    }
    return bytes
  }
}

/// A region of plain memory.
package struct MemoryRegion {
  /// The first address, a multiple of the page size.
  package let base: UInt32
  /// The length in bytes, a multiple of the page size.
  package let count: UInt32
  /// `true` if programs can write to the region.
  package let isWritable: Bool
  /// `true` if the bytes belong to a different region.
  package var isAlias = false
  /// The contents, which exist as long as the address space.
  package let bytes: UnsafeMutableRawPointer

  /// Returns whether an address is in the region.
  package func contains(_ address: UInt32) -> Bool { address &- base < count }
}

/// A memory-mapped device, such as the registers of a peripheral.
///
/// The core calls the device for each access, on the thread that runs the core. An access has the width that the program
/// used, 1, 2 or 4 bytes, and is little endian.
package protocol BusDevice: AnyObject {
  /// Reads a register.
  ///
  /// - Parameters:
  ///   - offset: the address relative to the base of the device.
  ///   - bytes: the width: 1, 2 or 4.
  /// - Returns: the value, or `nil` for a bus error.
  func read(_ offset: UInt32, bytes: UInt32) -> UInt32?

  /// Writes a register.
  ///
  /// - Parameters:
  ///   - offset: the address relative to the base of the device.
  ///   - value: the value, in the low bits.
  ///   - bytes: the width: 1, 2 or 4.
  /// - Returns: `false` for a bus error.
  func write(_ offset: UInt32, _ value: UInt32, bytes: UInt32) -> Bool
}

/// A bit-band alias region, in which each word maps to one bit of the bit-band region.
///
/// A microcontroller with bit-banding, which is optional in ARMv7-M, adds one alias region at 0x22000000 for its RAM and
/// one at 0x42000000 for its peripherals (Cortex-M4 TRM, section 3.7). A store reads, modifies and writes the bit-band
/// region in the width of the store.
package final class BitBand: BusDevice {
  /// The size in bytes of an alias region, which covers 1 MiB.
  package static let count: UInt32 = 32 << 20
  private unowned let memory: AddressSpace
  private let base: UInt32

  /// Creates an alias region for the bit-band region that starts at an address.
  package init(of base: UInt32, in memory: AddressSpace) {
    self.base = base
    self.memory = memory
  }

  /// Adds the alias regions of RAM and peripherals to an address space.
  package static func addBoth(to memory: AddressSpace) {
    memory.add(BitBand(of: 0x2000_0000, in: memory), at: 0x2200_0000, count: count)
    memory.add(BitBand(of: 0x4000_0000, in: memory), at: 0x4200_0000, count: count)
  }

  private func target(_ offset: UInt32, _ bytes: UInt32) -> (address: UInt32, bit: UInt32) {
    let byte = base &+ offset >> 5
    let address = byte & ~(bytes - 1)
    return (address, (byte - address) * 8 + offset >> 2 & 7)
  }

  package func read(_ offset: UInt32, bytes: UInt32) -> UInt32? {
    let (address, bit) = target(offset, bytes)
    return memory.read(address, bytes: bytes).map { $0 >> bit & 1 }
  }

  package func write(_ offset: UInt32, _ value: UInt32, bytes: UInt32) -> Bool {
    let (address, bit) = target(offset, bytes)
    guard let old = memory.read(address, bytes: bytes) else { return false }
    return memory.write(address, old & ~(1 << bit) | (value & 1) << bit, bytes: bytes)
  }
}
