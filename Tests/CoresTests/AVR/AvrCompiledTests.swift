import Cores
import TestSupport
import Testing

/// Tests with compiled code: the compensation vectors of third-party code.
struct AvrCompiledTests {
  /// The address of the record, and the sizes of its inputs and results.
  private static let record: UInt16 = 0x700, asked = 48, results = 20

  @Test(
    "code compiled for AVR computes the expected results of the compensation vectors",
    arguments: ["-O0", "-O2", "-Os"])
  func vectors(_ level: String) throws {
    // All 3,449 vectors with `--long` only, because a debug build of the core is slow.
    let all = try CompensationRecords.vectors()
    let vectors = all.enumerated().filter { $0.offset % Repetitions.count(8, long: 1) == 0 }
      .map(\.element)
    let io = PlainPeripherals()
    let core = AvrCore(AvrBench.model, peripherals: io)
    for (index, byte) in try Self.image(level).enumerated() { core.flash[index] = byte }
    core.invalidate(0, count: core.flash.count)
    core.reset()
    try #require(core.run(until: 100_000) == .breakpoint)
    var compared = 0
    for vector in vectors {
      // The record of the other image starts like this one, three bytes after its calibration.
      let memory = CompensationRecords.memory([vector])
      for index in 0..<Self.asked { core[data: Self.record + UInt16(index)] = memory[16 + index] }
      core.passBreakpoint()
      try #require(core.run(until: core.cycles + 1_000_000) == .breakpoint)
      let words = (0..<Self.results / 4).map { index in
        (0..<4).reduce(UInt32(0)) {
          let address = Self.record + UInt16(Self.asked + index * 4 + $1)
          return $0 | UInt32(core[data: address]) << UInt32($1 * 8)
        }
      }
      let fine = [words[0], words[1]].map { Int64(Int32(bitPattern: $0)) }
      let values = fine + words[2...].map { Int64($0) }
      for (name, value) in zip(["ds_tf", "ds_T", "ds_P64u32", "ds_P32", "ds_H"], values)
      where !vector.overflows(name) {
        #expect(String(value) == vector[name], "\(name) of vector \(vector["id"])")
        compared += 1
      }
    }
    print("\(level): \(compared) results compared in \(core.cycles) cycles")
    #expect(compared > vectors.count * 4)
  }

  /// Returns the image as bytes from address 0.
  private static func image(_ level: String) throws -> [UInt8] {
    let folder = try TestFolder()
    try Tool.run(
      "avr-gcc",
      [
        "-mmcu=atmega328p", level, "-std=gnu11", "-Wall", "-Werror", "-fwrapv",
        "-ffunction-sections", "-Wl,--gc-sections", "-o", folder["a.elf"],
        Fixtures.rootPath + "/Tests/Firmware/compensation-avr.c",
      ])
    try Tool.run("avr-objcopy", ["-O", "binary", folder["a.elf"], folder["a.bin"]])
    return try folder.bytes(of: "a.bin")
  }
}
