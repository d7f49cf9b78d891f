import Cores
import TestSupport
import Testing

/// Tests with compiled code: the compensation vectors of third-party code.
struct CompiledTests {
  /// A compiler configuration.
  struct Build: CustomTestStringConvertible, Sendable {
    let level: String
    let hasFloat: Bool
    var testDescription: String { level + (hasFloat ? " with FPU" : " without FPU") }
    static let all = ["-O0", "-O2", "-Os"].flatMap {
      [Build(level: $0, hasFloat: false), Build(level: $0, hasFloat: true)]
    }
  }

  @Test(
    "code compiled for ARM computes the expected results of the compensation vectors",
    arguments: Build.all)
  func vectors(_ build: Build) throws {
    // All 3,449 vectors with `--long` only, because a debug build of the core is slow.
    let all = try CompensationRecords.vectors()
    let vectors = all.enumerated().filter { $0.offset % Repetitions.count(8, long: 1) == 0 }
      .map(\.element)
    let image = try Self.image(build)
    let ran = try Self.run(image, CompensationRecords.memory(vectors))
    var compared = 0
    for (index, vector) in vectors.enumerated() {
      let record = CompensationRecords(ran, index)
      for (name, value) in record.integers where !vector.overflows(name) {
        #expect(String(value) == vector[name], "\(name) of vector \(vector["id"])")
        compared += 1
      }
      for (name, value) in record.doubles {
        #expect(value == Double(vector[name]), "\(name) of vector \(vector["id"])")
        compared += 1
      }
    }
    #expect(compared > vectors.count * 7)
  }

  @Test("the FPU computes the same single-precision results as libgcc")
  func singlePrecision() throws {
    let all = try CompensationRecords.vectors()
    let memory = CompensationRecords.memory(Array(all.prefix(Repetitions.count(400, long: 4000))))
    let soft = try Self.run(Self.image(Build(level: "-O2", hasFloat: false)), memory)
    let hard = try Self.run(Self.image(Build(level: "-O2", hasFloat: true)), memory)
    let floats = (0..<CompensationRecords.count(memory)).map {
      (CompensationRecords(soft, $0).singles, CompensationRecords(hard, $0).singles)
    }
    #expect(floats.allSatisfy { $0.0 == $0.1 })
    #expect(Set(floats.map { $0.0 }).count > 100)
  }

  /// Returns the image as bytes from address 0.
  static func image(_ build: Build) throws -> [UInt8] {
    let folder = try TestFolder()
    let float =
      build.hasFloat ? ["-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"] : ["-mfloat-abi=soft"]
    try Tool.run(
      "arm-none-eabi-gcc",
      [
        "-mcpu=cortex-m4", "-mthumb", build.level, "-Wall", "-Werror", "-ffreestanding", "-fwrapv",
        "-ffp-contract=off", "-fno-builtin", "-nostdlib",
        "-Wl,--build-id=none,-Ttext=0x100,--section-start=.vectors=0,-e,start", "-o",
        folder["a.elf"],
        Fixtures.rootPath + "/Tests/Firmware/compensation.c", "-lgcc",
      ] + float)
    try Tool.run("arm-none-eabi-objcopy", ["-O", "binary", folder["a.elf"], folder["a.bin"]])
    return try folder.bytes(of: "a.bin")
  }

  /// Returns the contents of RAM when the image has ended.
  static func run(_ image: [UInt8], _ memory: [UInt8]) throws -> [UInt8] {
    let space = AddressSpace()
    let flash = space.addMemory(at: 0, count: 0x40000, isWritable: false)
    let ram = space.addMemory(at: 0x2000_0000, count: 0x80000, isWritable: true)
    for (index, byte) in image.enumerated() {
      flash.bytes.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
    }
    ram.bytes.initializeMemory(as: UInt8.self, from: memory, count: memory.count)
    let core = ArmCore(memory: space)
    core.reset()
    try #require(core.run(until: 1_000_000_000) == .breakpoint(1))
    return (0..<memory.count).map { ram.bytes.load(fromByteOffset: $0, as: UInt8.self) }
  }
}
