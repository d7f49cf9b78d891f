import Cores
import TestSupport
import Testing

/// A core with a program assembled by arm-none-eabi-gcc: 16 KiB of code at 0, 64 KiB of RAM at 0x20000000.
///
/// It starts at the label `start`; exceptions without a label of their own end at BKPT 0xEE.
struct Assembly {
  let core: ArmCore
  let memory: AddressSpace
  private let labels: [String: UInt32]
  static let stack: UInt32 = 0x2000_2000
  static let ram: UInt32 = 0x2000_0000

  /// Assembles a program; labels are its exception handlers.
  init(
    _ text: String, handlers: [Int: String] = [:], model: ArmCore.Model = .cortexM4F,
    memory: AddressSpace = AddressSpace()
  ) throws {
    let vectors = (2..<64).map { ".word \(handlers[$0] ?? "unexpected")" }.joined(separator: "\n")
    let source = """
      .syntax unified
      .cpu cortex-m4
      .fpu fpv4-sp-d16
      .thumb
      .macro handler name
      .thumb_func
      \\name:
      .endm
      .word \(Self.stack), start
      \(vectors)
      handler unexpected
      bkpt 0xEE
      handler start
      \(text)
      .pool

      """
    let (code, labels) = try Self.assemble(source)
    self.labels = labels
    self.memory = memory
    let flash = memory.addMemory(at: 0, count: 0x4000, isWritable: false)
    memory.addMemory(at: Self.ram, count: 0x10000, isWritable: true)
    for (index, byte) in code.enumerated() {
      flash.bytes.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
    }
    core = ArmCore(model, memory: memory)
    core.reset()
  }

  /// The address of a label.
  subscript(label: String) -> UInt32 { labels[label, default: .max] & ~1 }

  /// A word of memory.
  func word(_ address: UInt32) -> UInt32 { memory.read(address, bytes: 4) ?? 0xDEAD_BEEF }

  private static func assemble(_ source: String) throws -> ([UInt8], [String: UInt32]) {
    let folder = try TestFolder()
    try folder.write(Array(source.utf8), to: "code.s")
    try Tool.run(
      "arm-none-eabi-gcc",
      [
        "-nostdlib", "-mfloat-abi=hard", "-Wl,-Ttext=0,-e,start", "-o", folder["code.elf"],
        folder["code.s"],
      ])
    try Tool.run(
      "arm-none-eabi-objcopy", ["-O", "binary", folder["code.elf"], folder["code.bin"]])
    var labels: [String: UInt32] = [:]
    for line in try Tool.run("arm-none-eabi-nm", [folder["code.elf"]]).split(separator: "\n") {
      let parts = line.split(separator: " ")
      if parts.count == 3 { labels[String(parts[2])] = UInt32(parts[0], radix: 16) }
    }
    return (try folder.bytes(of: "code.bin"), labels)
  }
}

/// A core with 4 KiB of code at 0 and 4 KiB of RAM, for programs of a few halfwords.
struct Program {
  let core: ArmCore
  private let code: UnsafeMutableRawPointer
  static let start: UInt32 = 0x100
  static let stack: UInt32 = 0x2000_1000

  /// Writes halfwords to 0x100, where a reset starts, and others to the given addresses.
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

  /// Writes the address of a handler to the vector table.
  func handle(_ exception: Int, at address: UInt32) {
    (code + exception * 4).storeBytes(of: address | 1, as: UInt32.self)
  }
}
