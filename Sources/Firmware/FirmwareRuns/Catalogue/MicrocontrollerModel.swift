package import Images
package import Machines

/// A microcontroller that firmware can run on: how it is made, and where its memories are.
package struct MicrocontrollerModel: Sendable {
  /// The name, as users write it.
  package let name: String
  /// Whether it has an FPU.
  let hasFloat: Bool
  /// The family of an AVR, as in the flags of an ELF.
  let avrFamily: Int?
  /// The peripheral through which alone its flash is written, where a store to it is a fault.
  let flashController: String?
  private let create: @Sendable (_ seed: UInt64) -> any Microcontroller

  /// Creates a model.
  init(
    _ name: String, hasFloat: Bool = true, avrFamily: Int? = nil, flashController: String? = nil,
    create: @escaping @Sendable (_ seed: UInt64) -> any Microcontroller
  ) {
    self.name = name
    self.hasFloat = hasFloat
    self.avrFamily = avrFamily
    self.flashController = flashController
    self.create = create
  }

  /// The part with erased flash, without power.
  ///
  /// - Parameter seed: where its chance comes from.
  /// - Returns: the part.
  package func made(seed: UInt64) -> any Microcontroller { create(seed) }

  /// Where it has its memories.
  package var profile: MemoryProfile { profile(of: create(0)) }

  /// Where a part of this model has its memories.
  func profile(of machine: any Microcontroller) -> MemoryProfile {
    let isAVR = machine.core.architecture == .avr
    var flash: Range<UInt64>?
    var ram: Range<UInt64>?
    var others: [Range<UInt64>] = []
    var eeprom = 0
    for memory in machine.memories {
      // A debugger counts an AVR's data from 0x800000, its programs from 0.
      let base = UInt64(memory.base) - (isAVR && memory.kind == .ram ? 0x80_0000 : 0)
      let range = base..<base + UInt64(memory.count)
      switch memory.kind {
      case .flash where flash == nil: flash = range
      case .ram where ram == nil: ram = range
      case .eeprom: eeprom = Int(memory.count)
      default: others.append(range)
      }
    }
    return MemoryProfile(
      name: name, architecture: isAVR ? .avr : .arm, flash: flash ?? 0..<0, ram: ram ?? 0..<0,
      others: others, eeprom: eeprom, hasFloat: hasFloat, avrFamily: avrFamily,
      flashController: flashController)
  }
}
