import Cores

/// The core that is judged, over the memory that the judge has too.
final class ArmBench {
  let core: ArmCore
  private let ram: UnsafeMutablePointer<UInt32>
  private let code: UnsafeMutableRawPointer
  static let batch = 16384

  private let isBaseline: Bool

  init(_ model: ArmCore.Model = .cortexM4F) {
    isBaseline = model.isBaseline
    let memory = AddressSpace()
    code =
      memory.addMemory(
        at: 0, count: ArmCase.code + 16 * UInt32(Self.batch) + 0x10000, isWritable: false
      )
      .bytes
    ram =
      memory.addMemory(at: ArmCase.ram, count: UInt32(ArmCase.ramWords) * 4, isWritable: true)
      .bytes.assumingMemoryBound(to: UInt32.self)
    core = ArmCore(model, memory: memory)
    memory.add(Nothing(), at: 0xE004_0000, count: 0xB_F000)
    for index in 0..<ArmCase.ramWords { ram[index] = Self.pattern(index) }
  }

  /// What the judge has behind the core's own registers: memory that holds 0 when an instruction begins.
  private final class Nothing: BusDevice {
    func read(_ offset: UInt32, bytes: UInt32) -> UInt32? { 0 }
    func write(_ offset: UInt32, _ value: UInt32, bytes: UInt32) -> Bool { true }
  }

  private static func pattern(_ index: Int) -> UInt32 { UInt32(index) &* 0x9E37_79B1 }

  /// Puts the instructions of a batch where they stand.
  func load(_ cases: [ArmCase]) {
    code.initializeMemory(as: UInt8.self, repeating: 0, count: Int(ArmCase.codeEnd))
    for (index, each) in cases.enumerated() {
      let place = code + Int(ArmCase.code) + 16 * index
      place.storeBytes(of: 0xBF00 | UInt16(each.it), as: UInt16.self)
      (place + 2).storeBytes(of: each.first, as: UInt16.self)
      (place + 4).storeBytes(of: each.second, as: UInt16.self)
      for nop in 3..<8 { (place + nop * 2).storeBytes(of: 0xBF00, as: UInt16.self) }
    }
    for (index, word) in [0x8C00_F380, 0x1A10_EEE1, 0x0A10_EEF1].enumerated() {
      (code + 0x8000 + index * 4).storeBytes(of: UInt32(word), as: UInt32.self)
    }
    core.reset()
    if !isBaseline { core.allowFloat() }
  }

  /// The state after the instruction, as the judge writes it; a fault is told by its bit in CFSR.
  func run(_ words: [UInt32], at index: Int) -> [UInt32] {
    for number in 0..<15 { core[register: number] = words[number] }
    core[register: 15] = ArmCase.code + 16 * UInt32(index) + 2
    core.xpsr = words[16]
    core.fpscr = words[17]
    for number in 0..<32 { core[float: number] = words[18 + number] }
    _ = core.step()
    var result = (0..<16).map { core[register: $0] }
    result += [core.xpsr, core.fpscr]
    result += (0..<32).map { core[float: $0] }
    result += [core.faults, digest()]
    if core.faults != 0 || core.isAsleep {
      core.reset()
      if !isBaseline { core.allowFloat() }
    }
    return result
  }

  private func digest() -> UInt32 {
    var sum: UInt32 = 0
    for index in 0..<ArmCase.ramWords where ram[index] != Self.pattern(index) {
      sum = (sum ^ ram[index] ^ UInt32(index) << 16) &* 0x0100_0193 &+ UInt32(index)
      ram[index] = Self.pattern(index)
    }
    return sum
  }
}
