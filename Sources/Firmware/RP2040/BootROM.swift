import Cores
import Glibc
import Machines

/// The functions of the boot ROM that programs call, found through its tables (RP2040 datasheet, 2.8.3).
///
/// The ROM has an entry of its own for each function, whose BKPT the chip executes natively; its code is not that of the
/// real ROM. The times are quoted from memory of the datasheet, and rounded.
final class BootROM {
  /// The size of the ROM in bytes.
  static let count: UInt32 = 0x4000
  /// The immediate of the BKPT in each entry.
  private static let trap: UInt32 = 0x52
  private static let entries: UInt32 = 0x100
  private static let functionTable: UInt32 = 0x400, dataTable: UInt32 = 0x480
  private static let floatTable: UInt32 = 0x500, doubleTable: UInt32 = 0x600
  private static let copyright: UInt32 = 0x700, revision: UInt32 = 0x740
  /// An endless loop, to which the reset and fault vectors point.
  private static let loop: UInt32 = 0xF0
  /// The initial stack pointer of a program that the second boot stage starts without one.
  static let stack: UInt32 = 0x2004_2000

  /// A function with its code in the table; `lookUp` has none.
  private enum Function: UInt32, CaseIterable {
    case lookUp, popcount32, reverse32, clz32, ctz32, memset, memset4, memcpy, memcpy44
    case resetToUSBBoot, connectInternalFlash, flashExitXIP, flashRangeErase, flashRangeProgram
    case flashFlushCache, flashEnterCommandXIP, waitForVector

    var code: String {
      switch self {
      case .lookUp: ""
      case .popcount32: "P3"
      case .reverse32: "R3"
      case .clz32: "L3"
      case .ctz32: "T3"
      case .memset: "MS"
      case .memset4: "S4"
      case .memcpy: "MC"
      case .memcpy44: "C4"
      case .resetToUSBBoot: "UB"
      case .connectInternalFlash: "IF"
      case .flashExitXIP: "EX"
      case .flashRangeErase: "RE"
      case .flashRangeProgram: "RP"
      case .flashFlushCache: "FC"
      case .flashEnterCommandXIP: "CX"
      case .waitForVector: "WV"
      }
    }
  }

  private unowned let chip: Chip
  private let flash: MachineMemory
  private let arithmetic: ROMArithmetic

  /// Creates the ROM in an address space.
  init(_ flash: MachineMemory, _ chip: Chip) {
    (self.flash, self.chip) = (flash, chip)
    arithmetic = ROMArithmetic(chip.core)
    let rom = chip.memory.addMemory(at: 0, count: Self.count, isWritable: false)
    Self.fill(rom.bytes)
    chip.run.trap = { [unowned self] in run($0) }
  }

  private static func entry(_ index: UInt32) -> UInt32 { entries + index * 4 + 1 }

  private static func fill(_ bytes: UnsafeMutableRawPointer) {
    func word(_ address: UInt32, _ value: UInt32) {
      bytes.storeBytes(of: value.littleEndian, toByteOffset: Int(address), as: UInt32.self)
    }
    func half(_ address: UInt32, _ value: UInt32) {
      let value = UInt16(truncatingIfNeeded: value).littleEndian
      bytes.storeBytes(of: value, toByteOffset: Int(address), as: UInt16.self)
    }
    func text(_ address: UInt32, _ text: String) {
      for (index, byte) in text.utf8.enumerated() {
        bytes.storeBytes(of: byte, toByteOffset: Int(address) + index, as: UInt8.self)
      }
    }
    func code(_ name: String) -> UInt32 { name.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) } }

    word(0, stack)
    for vector in [4, 8, 12] as [UInt32] { word(vector, loop + 1) }
    half(loop, 0xE7FE)
    // The magic of the ROM and its version, that of the RP2040 B2.
    text(0x10, "Mu")
    half(0x12, 0x0301)
    half(0x14, functionTable)
    half(0x16, dataTable)
    half(0x18, entry(Function.lookUp.rawValue))
    let functions = UInt32(Function.allCases.count)
    let all = functions + 2 * UInt32(ROMArithmetic.operations)
    for index in 0..<all {
      half(entries + index * 4, 0xBE00 | trap)
      half(entries + index * 4 + 2, 0x4770)
    }
    for (index, function) in Function.allCases.dropFirst().enumerated() {
      half(functionTable + UInt32(index) * 4, code(function.code))
      half(functionTable + UInt32(index) * 4 + 2, entry(function.rawValue))
    }
    let data: [(String, UInt32)] = [
      ("CR", copyright), ("GR", revision), ("SF", floatTable), ("SD", doubleTable),
    ]
    for (index, (name, address)) in data.enumerated() {
      half(dataTable + UInt32(index) * 4, code(name))
      half(dataTable + UInt32(index) * 4 + 2, address)
    }
    for (number, table) in [floatTable, doubleTable].enumerated() {
      half(table - 2, UInt32(ROMArithmetic.operations))
      for index in 0..<UInt32(ROMArithmetic.operations) {
        let first = functions + UInt32(number * ROMArithmetic.operations)
        word(table + index * 4, entry(first + index))
      }
    }
    text(copyright, "Virtual boot ROM")
  }

  /// Executes the function whose BKPT the core has reached, and returns to its caller; returns `false` for another BKPT.
  private func run(_ number: UInt32) -> Bool {
    let core = chip.core
    let at = core[register: 15]
    guard number == Self.trap, at >= Self.entries, at < Self.functionTable else { return false }
    let index = (at - Self.entries) / 4
    let functions = UInt32(Function.allCases.count)
    let cycles: UInt64
    if let function = Function(rawValue: index) {
      cycles = run(function)
    } else {
      let (table, operation) = Int(index - functions)
        .quotientAndRemainder(dividingBy: ROMArithmetic.operations)
      cycles = arithmetic.run(operation, isDouble: table == 1)
    }
    core.cycles += cycles
    core[register: 15] = core[register: 14] & ~1
    return true
  }

  /// Executes a function; returns its time in cycles.
  private func run(_ function: Function) -> UInt64 {
    let core = chip.core
    let (first, second, third) = (core[register: 0], core[register: 1], core[register: 2])
    switch function {
    case .lookUp: core[register: 0] = entry(of: second, in: first)
    case .popcount32: core[register: 0] = UInt32(first.nonzeroBitCount)
    case .clz32: core[register: 0] = UInt32(first.leadingZeroBitCount)
    case .ctz32: core[register: 0] = UInt32(first.trailingZeroBitCount)
    case .reverse32:
      core[register: 0] = (0..<32).reduce(0) { $0 << 1 | first >> UInt32($1) & 1 }
    case .memset, .memset4:
      fill(first, UInt8(truncatingIfNeeded: second), third)
      return 20 + UInt64(third) / 3
    case .memcpy, .memcpy44:
      copy(first, second, third)
      return 20 + UInt64(third)
    case .flashRangeErase: return erase(first, second)
    case .flashRangeProgram: return program(first, second, third)
    case .resetToUSBBoot:
      chip.run.unmodelledRegisters.hint(
        "the program starts the USB boot loader (BOOTSEL mode), which is not modelled: it stays off"
      )
      chip.run.requestOff()
    case .waitForVector:
      chip.run.unmodelledRegisters.hint("the boot ROM waits for a vector, for ever")
      chip.run.requestOff()
    case .connectInternalFlash, .flashExitXIP, .flashFlushCache, .flashEnterCommandXIP: break
    }
    return 40
  }

  /// Returns the pointer for a code in a table, or 0.
  private func entry(of code: UInt32, in table: UInt32) -> UInt32 {
    var address = table
    while let found = chip.memory.read(address, bytes: 2), found != 0 {
      if found == code & 0xFFFF { return chip.memory.read(address + 2, bytes: 2) ?? 0 }
      address += 4
    }
    return 0
  }

  // MARK: Memory

  private func fill(_ address: UInt32, _ byte: UInt8, _ count: UInt32) {
    for offset in 0..<count {
      guard chip.memory.write(address &+ offset, UInt32(byte), bytes: 1) else { break }
    }
    chip.core.invalidate(address, count: count)
  }

  private func copy(_ target: UInt32, _ source: UInt32, _ count: UInt32) {
    for offset in 0..<count {
      guard let byte = chip.memory.read(source &+ offset, bytes: 1),
        chip.memory.write(target &+ offset, byte, bytes: 1)
      else { break }
    }
    chip.core.invalidate(target, count: count)
  }

  // MARK: Flash

  /// The times of the flash chip of a Raspberry Pi Pico, a W25Q16JV, in microseconds: a sector of 4 KiB and a page of 256
  /// bytes (Winbond W25Q16JV, AC characteristics, typical).
  private static let eraseTime: UInt64 = 45_000, programTime: UInt64 = 400

  private func cycles(microseconds: UInt64) -> UInt64 {
    microseconds * chip.systemClock / 1_000_000
  }

  private func erase(_ offset: UInt32, _ count: UInt32) -> UInt64 {
    change(offset, count) { _, _ in 0xFF }
    return cycles(microseconds: UInt64((count + 4095) / 4096) * Self.eraseTime)
  }

  private func program(_ offset: UInt32, _ source: UInt32, _ count: UInt32) -> UInt64 {
    let memory = chip.memory
    change(offset, count) { index, old in
      old & UInt8(truncatingIfNeeded: memory.read(source &+ index, bytes: 1) ?? 0xFF)
    }
    return cycles(microseconds: UInt64((count + 255) / 256) * Self.programTime)
  }

  private func change(
    _ offset: UInt32, _ count: UInt32, _ byte: (_ index: UInt32, _ old: UInt8) -> UInt8
  ) {
    guard offset < flash.count, count > 0 else { return }
    let count = min(count, flash.count - offset)
    for index in 0..<count {
      let old = flash.bytes.load(fromByteOffset: Int(offset + index), as: UInt8.self)
      flash.bytes.storeBytes(
        of: byte(index, old), toByteOffset: Int(offset + index), as: UInt8.self)
    }
    chip.core.invalidate(flash.base + offset, count: count)
    flash.didChange?(Int(offset), Int(count))
  }
}

/// The second boot stage, the first 256 bytes of the flash.
enum BootStage2 {
  static let count: UInt32 = 0x100

  /// Returns whether the boot ROM would start it: its last word is the CRC-32 of the others (RP2040 datasheet, 2.8.1.3.1).
  static func isValid(_ flash: MachineMemory) -> Bool {
    let bytes = UnsafeRawBufferPointer(start: flash.bytes, count: Int(count))
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in bytes.dropLast(4) {
      crc ^= UInt32(byte) << 24
      for _ in 0..<8 { crc = crc >> 31 != 0 ? crc << 1 ^ 0x04C1_1DB7 : crc << 1 }
    }
    return bytes.suffix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) } == crc
  }
}

/// The floating-point functions of the boot ROM, by their index in its two tables.
///
/// Arguments and results are in R0 to R3. Denormal numbers count as 0, as in the ROM (RP2040 datasheet, 2.8.3.2).
struct ROMArithmetic {
  /// The number of entries in each table.
  static let operations = 32

  private let core: ArmCore

  init(_ core: ArmCore) { self.core = core }

  private enum Operation: Int {
    case add, subtract, multiply, divide, compareFast, compareFastFlags, squareRoot
    case toInt, toFixed, toUnsigned, toUnsignedFixed
    case fromInt, fromFixed, fromUnsigned, fromUnsignedFixed
    case cosine, sine, tangent, sineAndCosine, exponential, logarithm
    case compare, arcTangent
    case fromInt64, fromFixed64, fromUnsigned64, fromUnsignedFixed64
    case toInt64, toFixed64, toUnsigned64, toUnsignedFixed64
    case convert
  }

  /// Executes an operation; returns its time in cycles (quoted from memory, rounded).
  func run(_ index: Int, isDouble: Bool) -> UInt64 {
    guard let operation = Operation(rawValue: index) else { return 0 }
    if operation == .convert {
      if isDouble { result(Float(double(0))) } else { result(Double(float(0))) }
      return 40
    }
    if isDouble {
      run(operation, double(0), double(2), words: 2) { result($0) }
    } else {
      run(operation, float(0), float(1), words: 1) { result($0) }
    }
    return Self.time(operation) * (isDouble ? 2 : 1)
  }

  private static func time(_ operation: Operation) -> UInt64 {
    switch operation {
    case .add, .subtract, .multiply, .divide: 72
    case .compareFast, .compareFastFlags, .compare: 40
    case .squareRoot: 63
    case .cosine, .sine, .tangent, .sineAndCosine, .exponential, .logarithm, .arcTangent: 560
    default: 50
    }
  }

  // MARK: Arguments and results

  private subscript(register: Int) -> UInt32 {
    get { core[register: register] }
    nonmutating set { core[register: register] = newValue }
  }

  private func float(_ register: Int) -> Float {
    let value = Float(bitPattern: self[register])
    return value.isSubnormal ? value * 0 : value
  }

  private func double(_ register: Int) -> Double {
    let value = Double(bitPattern: wide(register))
    return value.isSubnormal ? value * 0 : value
  }

  private func wide(_ register: Int) -> UInt64 {
    UInt64(self[register + 1]) << 32 | UInt64(self[register])
  }

  private func result(_ value: Float) {
    self[0] = (value.isSubnormal ? value * 0 : value).bitPattern
  }

  private func result(_ value: Double) {
    result((value.isSubnormal ? value * 0 : value).bitPattern)
  }

  private func result(_ value: UInt64, at register: Int = 0) {
    self[register] = UInt32(truncatingIfNeeded: value)
    self[register + 1] = UInt32(truncatingIfNeeded: value >> 32)
  }

  // MARK: Operations

  /// Executes an operation whose arguments occupy `words` registers each.
  private func run<Value: BinaryFloatingPoint>(
    _ operation: Operation, _ one: Value, _ other: Value, words: Int, _ give: (Value) -> Void
  ) {
    switch operation {
    case .add: give(one + other)
    case .subtract: give(one - other)
    case .multiply: give(one * other)
    case .divide: give(one / other)
    case .squareRoot: give(one < 0 ? -.infinity : one.squareRoot())
    case .compareFast, .compareFastFlags, .compare: compare(one, other, operation)
    case .fromInt: give(Value(Int32(bitPattern: self[0])))
    case .fromUnsigned: give(Value(self[0]))
    case .fromFixed: give(scaled(Value(Int32(bitPattern: self[0])), by: -exponent(1)))
    case .fromUnsignedFixed: give(scaled(Value(self[0]), by: -exponent(1)))
    case .fromInt64: give(Value(Int64(bitPattern: wide(0))))
    case .fromUnsigned64: give(Value(wide(0)))
    case .fromFixed64: give(scaled(Value(Int64(bitPattern: wide(0))), by: -exponent(2)))
    case .fromUnsignedFixed64: give(scaled(Value(wide(0)), by: -exponent(2)))
    case .toInt: self[0] = UInt32(bitPattern: Int32(saturating: one.rounded(.down)))
    case .toUnsigned: self[0] = UInt32(saturating: one)
    case .toFixed:
      self[0] = UInt32(
        bitPattern: Int32(saturating: scaled(one, by: exponent(words)).rounded(.down)))
    case .toUnsignedFixed: self[0] = UInt32(saturating: scaled(one, by: exponent(words)))
    case .toInt64: result(UInt64(bitPattern: Int64(saturating: one.rounded(.down))))
    case .toUnsigned64: result(UInt64(saturating: one))
    case .toFixed64:
      let value = Int64(saturating: scaled(one, by: exponent(words)).rounded(.down))
      result(UInt64(bitPattern: value))
    case .toUnsignedFixed64: result(UInt64(saturating: scaled(one, by: exponent(words))))
    case .cosine, .sine, .tangent, .sineAndCosine, .exponential, .logarithm, .arcTangent:
      transcend(operation, Double(one), Double(other), words: words)
    case .convert: break
    }
  }

  /// The number of fraction bits in a register.
  private func exponent(_ register: Int) -> Int { Int(Int32(bitPattern: self[register])) }

  private func scaled<Value: BinaryFloatingPoint>(_ value: Value, by exponent: Int) -> Value {
    Value(scalbn(Double(value), Int32(clamping: exponent)))
  }

  private func transcend(_ operation: Operation, _ one: Double, _ other: Double, words: Int) {
    func give(_ value: Double, at register: Int = 0) {
      if words == 2 {
        result((value.isSubnormal ? value * 0 : value).bitPattern, at: register * 2)
      } else {
        self[register] = Float(value).bitPattern
      }
    }
    switch operation {
    case .cosine: give(cos(one))
    case .tangent: give(tan(one))
    case .exponential: give(exp(one))
    case .logarithm: give(one <= 0 ? -.infinity : log(one))
    case .arcTangent: give(atan2(one, other))
    // The ROM also returns the cosine.
    default:
      give(sin(one))
      give(cos(one), at: 1)
    }
  }

  /// Compares as the ROM: -1, 0 or 1 in R0, or the flags of a comparison of integers.
  private func compare<Value: BinaryFloatingPoint>(
    _ one: Value, _ other: Value, _ operation: Operation
  ) {
    guard operation == .compareFastFlags else {
      self[0] = one < other ? .max : one == other ? 0 : 1
      return
    }
    let flags: UInt32 = one < other ? 8 << 28 : one == other ? 6 << 28 : 2 << 28
    core.xpsr = core.xpsr & 0x0FFF_FFFF | flags
  }
}

extension FixedWidthInteger {
  /// Truncates a number, to the nearest limit if it is out of range; not a number counts as infinite.
  fileprivate init<Value: BinaryFloatingPoint>(saturating value: Value) {
    if let exact = Self(exactly: value.rounded(.towardZero)) {
      self = exact
    } else {
      self = value < 0 ? .min : .max
    }
  }
}
