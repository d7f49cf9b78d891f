import Cores

/// A core with 4 KiB of code at 0 and 4 KiB of RAM, for programs of a few halfwords.
struct Program {
  let core: ArmCore
  private let code: UnsafeMutableRawPointer
  static let start: UInt32 = 0x100
  static let stack: UInt32 = 0x2000_1000

  /// Puts halfwords at 0x100, where a reset begins, and others at the addresses given.
  init(_ halfwords: [UInt16], _ more: [UInt32: [UInt16]] = [:], model: ArmCore.Model = .cortexM4F) {
    let memory = AddressSpace()
    code = memory.addMemory(at: 0, count: 4096, isWritable: false).bytes
    memory.addMemory(at: 0x2000_0000, count: 4096, isWritable: true)
    core = ArmCore(model, memory: memory)
    code.storeBytes(of: Self.stack, as: UInt32.self)
    (code + 4).storeBytes(of: Self.start | 1, as: UInt32.self)
    put(halfwords, at: Self.start)
    for (address, others) in more { put(others, at: address) }
    core.reset()
  }

  private func put(_ halfwords: [UInt16], at address: UInt32) {
    for (index, halfword) in halfwords.enumerated() {
      (code + Int(address) + index * 2).storeBytes(of: halfword, as: UInt16.self)
    }
  }

  /// Puts the address of a handler in the table of vectors.
  func handle(_ exception: Int, at address: UInt32) {
    (code + exception * 4).storeBytes(of: address | 1, as: UInt32.self)
  }
}
