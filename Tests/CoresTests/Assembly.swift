import Cores
import Foundation
import Testing

/// A core with a program that arm-none-eabi-gcc assembles: 16 KiB of code at 0, 64 KiB of RAM at 0x20000000.
///
/// It begins at the label `start`; exceptions without a label of their own end at BKPT 0xEE.
struct Assembly {
  let core: ArmCore
  let memory: AddressSpace
  private let labels: [String: UInt32]
  static let stack: UInt32 = 0x2000_2000
  static let ram: UInt32 = 0x2000_0000

  /// Assembles a program whose exceptions lead to labels.
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

  private static func assemble(_ source: String) throws -> (Data, [String: UInt32]) {
    let folder = FileManager.default.temporaryDirectory.appending(path: "code-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func path(_ name: String) -> String { folder.appending(path: name).path }
    try Data(source.utf8).write(to: folder.appending(path: "code.s"))
    _ = try Tool.run(
      "arm-none-eabi-gcc",
      [
        "-nostdlib", "-mfloat-abi=hard", "-Wl,-Ttext=0,-e,start", "-o", path("code.elf"),
        path("code.s"),
      ])
    _ = try Tool.run(
      "arm-none-eabi-objcopy", ["-O", "binary", path("code.elf"), path("code.bin")])
    var labels: [String: UInt32] = [:]
    for line in try Tool.run("arm-none-eabi-nm", [path("code.elf")]).split(separator: "\n") {
      let parts = line.split(separator: " ")
      if parts.count == 3 { labels[String(parts[2])] = UInt32(parts[0], radix: 16) }
    }
    return (try Data(contentsOf: folder.appending(path: "code.bin")), labels)
  }
}

/// A program of the machine's, run to its end.
enum Tool {
  static func run(_ name: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [name] + arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(name) \(arguments)")
    return String(decoding: data, as: UTF8.self)
  }
}
