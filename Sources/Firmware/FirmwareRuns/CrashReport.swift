import Cores
import I2CTrace
import Images
import Machines
import Support

/// A report on firmware that cannot continue, which gives the location and how the program reached it.
struct CrashReport {
  let bench: FirmwareBench
  /// The target and the link register if a branch without the Thumb bit caused the last fault; otherwise `nil`.
  private var jump: (target: UInt32, link: UInt32)?

  init(_ bench: FirmwareBench) { self.bench = bench }

  var core: any MachineCore { bench.machine.core }
  var symbols: SymbolTable { bench.image.symbols }

  /// The current location, as function and address.
  var here: String { symbols.location(core.programCounter) }

  /// The location of the instruction before PC, which is the last one executed unless that was a branch.
  var last: String {
    let next = core.programCounter
    guard next >= 4, let word = code(next &- 4) else { return here }
    // `word` may begin a 32-bit Thumb instruction, or LDS or STS on an AVR.
    let isWide =
      core.architecture == .arm ? word >= 0xE800 : word & 0xFC0F == 0x9000
    return symbols.location(next &- (isWide ? 4 : 2))
  }

  /// Returns a failure message with its location, which is PC by default, and the last bus transfers.
  func failure(_ what: String, at location: String? = nil, time: UInt64? = nil) -> [String] {
    let time = Decimal.fixed(Double(time ?? bench.machine.clock.nanoseconds) / 1e9, 6)
    return ["\(time) s: \(what), at \(location ?? here)"] + lastTransfers
  }

  var lastTransfers: [String] {
    guard !bench.transfers.isEmpty else { return ["there were no bus transfers"] }
    return ["the last bus transfers:"]
      + bench.transfers.map {
        "  \(Decimal.fixed(Double($0.time) / 1e9, 6)) i2c-\($0.bus) \($0)"
      }
  }

  // MARK: Faults

  /// Returns the failure message for a fault handler that is an endless loop; `nil` if no such handler is running.
  func endlessFaultHandler() -> [String]? {
    guard handlesFault, !core.isAsleep, isIdleLoop else { return nil }
    return explained("a fault that the program does not handle")
  }

  /// Returns the failure message for a lockup, which is a fault in a fault handler.
  func lockUp(_ fault: String) -> [String] {
    let location =
      switch exception {
      case 2: "inside the NMI"
      case 3: "inside HardFault"
      default: "while faults are masked"
      }
    return explained("the core has locked up (lockup): a fault \(location), \(fault)")
  }

  /// Returns the description of a fault; call it at the entry of the fault's handler.
  mutating func fault() -> String {
    jump = jumpWithoutThumb
    let time = Decimal.fixed(Double(bench.machine.clock.nanoseconds) / 1e9, 6)
    let status = String(word(Self.cfsr) ?? 0, radix: 16)
    return "\(time) s: a fault of the program, CFSR 0x\(status)\(reasons), at "
      + (interrupted.map { symbols.location($0) } ?? here) + (jump.map { origin($0.link) } ?? "")
  }

  /// `true` while a fault handler is active.
  var handlesFault: Bool { core.architecture == .arm && (3...6).contains(exception) }

  /// Returns the failure message for a fault handler that was still running at the end of the run.
  func unfinishedFaultHandler() -> [String]? {
    handlesFault ? explained("a fault whose handler was still running at the end of the run") : nil
  }

  /// The address of the instruction that an exception interrupted, valid at the entry of its handler.
  private var interrupted: UInt32? { word(frame &+ 24).map { $0 & ~1 } }

  /// The address of the exception frame, valid at the entry of a handler, where R14 selects the stack.
  var frame: UInt32 {
    let isOnProcessStack = core.readRegister(14) & 4 != 0
    let process = (core as? ArmCore)?[special: .processStack] ?? core.stackPointer
    return isOnProcessStack ? process : core.stackPointer
  }

  private func explained(_ what: String) -> [String] {
    if let overflow = stackOverflow { return overflow }
    if let jump {
      return failure("\(what)\(reasons)", at: symbols.location(jump.target) + origin(jump.link))
    }
    let frame = faultFrame
    let location = frame.map { symbols.location($0) }
    if let address = frame, !isCode(address) {
      return failure(
        "\(what): execution has reached an address without code\(reasons)",
        at: "0x\(String(address, radix: 16))\(caller.map { ", called from \($0)" } ?? "")")
    }
    return failure("\(what)\(reasons)", at: location)
  }

  /// The number of the active exception; 0 if no exception is active.
  private var exception: Int { Int(core.readRegister(16) & 0x1FF) }

  func isCode(_ address: UInt32) -> Bool {
    bench.image.segments.contains { $0.range.contains(UInt64(address)) }
      || bench.profile.ram.contains(UInt64(address)) && symbols.function(at: address) != nil
  }

  func word(_ address: UInt32) -> UInt32? {
    var value: UInt32 = 0
    for index in 0..<UInt32(4) {
      guard let byte = core.readByte(address &+ index) else { return nil }
      value |= UInt32(byte) << (index * 8)
    }
    return value
  }

  /// A description of the causes in CFSR, with the address from BFAR or MMFAR.
  private var reasons: String {
    let status = word(Self.cfsr) ?? 0
    var words = Self.bits.filter { status >> $0.bit & 1 != 0 }.map(\.words)
    if status >> 15 & 1 != 0, let address = word(Self.bfar) {
      if let controller = bench.profile.flashController, status >> 9 & 1 != 0,
        bench.profile.flash.contains(UInt64(address))
      {
        words.removeAll { $0 == Self.busError }
        words.append("a store to flash, which \(controller) had not enabled")
      }
      words.append("address 0x\(String(address, radix: 16))")
    } else if status >> 7 & 1 != 0, let address = word(Self.mmfar) {
      words.append("address 0x\(String(address, radix: 16))")
    }
    return words.isEmpty ? "" : " (\(words.joined(separator: ", ")))"
  }

  /// The address of the fault status register CFSR (ARMv7-M, B3.2.2).
  static let cfsr: UInt32 = 0xE000_ED28
  /// The address of the fault address register MMFAR (ARMv7-M, B3.2.2).
  private static let mmfar: UInt32 = 0xE000_ED34
  /// The address of the fault address register BFAR (ARMv7-M, B3.2.2).
  private static let bfar: UInt32 = 0xE000_ED38

  private static let busError = "bus error"

  /// The bits of CFSR (ARMv7-M Architecture Reference Manual, B3.2.15).
  private static let bits: [(bit: UInt32, words: String)] = [
    (0, "instruction access violation"), (1, "data access violation"),
    (3, "MPU violation during unstacking"),
    (4, "MPU violation during stacking"), (8, "instruction bus error"), (9, busError),
    (10, "imprecise bus error"), (11, "bus error during unstacking"),
    (12, "bus error during stacking"),
    (16, "undefined instruction"), (17, "the Thumb bit is 0"),
    (18, "invalid exception return"),
    (19, "no coprocessor, or the FPU is disabled"), (24, "unaligned access"),
    (25, "division by zero"),
  ]

  /// The address of the interrupted instruction, from the first exception frame found above the stack pointer.
  private var faultFrame: UInt32? {
    let stack = core.stackPointer
    for offset in stride(from: UInt32(0), to: 128, by: 4) {
      guard let pc = word(stack &+ offset &+ 24), let xpsr = word(stack &+ offset &+ 28),
        xpsr & 0x0100_0000 != 0, xpsr & 0x00F0_0000 == 0, pc & 1 == 0,
        let link = word(stack &+ offset &+ 20), link & 1 == 1 || link == 0
      else { continue }
      return pc
    }
    return nil
  }

  /// The location from which execution left the program's code, from the link register in the exception frame.
  private var caller: String? {
    let stack = core.stackPointer
    for offset in stride(from: UInt32(0), to: 128, by: 4) {
      guard let xpsr = word(stack &+ offset &+ 28), xpsr & 0x01F0_0000 == 0x0100_0000,
        let link = word(stack &+ offset &+ 20), link & 1 == 1, isCode(link & ~1)
      else { continue }
      return symbols.location(link & ~1)
    }
    return nil
  }
}

/// Endless loops.
extension CrashReport {
  /// `true` if the core is in a loop without effect, which consists of branches, hints and NOPs only.
  var isIdleLoop: Bool {
    var seen: Set<UInt32> = []
    for _ in 0..<16 {
      let address = core.programCounter
      guard !core.isAsleep, doesNothing(address) else { return false }
      if !seen.insert(address).inserted { return true }
      _ = bench.machine.step()
    }
    return false
  }

  /// Returns whether an instruction is an unconditional branch or a hint.
  func doesNothing(_ address: UInt32) -> Bool {
    guard let low = core.readByte(address), let high = core.readByte(address &+ 1) else {
      return false
    }
    let code = UInt16(high) << 8 | UInt16(low)
    return code & 0xF800 == 0xE000 || code & 0xFF0F == 0xBF00
  }

  /// Returns the unmodelled register that the current loop polls; `nil` if the loop reads none.
  func unmodelledPoll() -> RegisterAccess? {
    guard !core.isAsleep else { return nil }
    let ledger = bench.machine.unmodelledRegisters
    let count = ledger.total
    for _ in 0..<256 where ledger.total == count { _ = bench.machine.step() }
    return ledger.total == count ? nil : ledger.last
  }

  /// A note that the program has powered off, that is, it sleeps with interrupts disabled; otherwise `nil`.
  var switchedOff: String? {
    guard bench.machine.lastSleep == .off else { return nil }
    return
      "the program has powered off: it sleeps with interrupts disabled, and only a reset will wake it; "
      + "at \(here)"
  }

  /// Returns a message if, at the end of the run, the program is in a loop with interrupts disabled.
  ///
  /// A loop that consists of branches only is endless. Any other loop may be a delay, so it is simulated for another
  /// second and reported if the program does not leave it. A core that starts with interrupts disabled may be in the
  /// loop on purpose, so the message is then not a failure.
  func endlessLoop() -> (words: [String], isFailure: Bool)? {
    if bench.machine.lastSleep == .stuck {
      return (
        failure("asleep with interrupts disabled, and no enabled source will wake the core"), true
      )
    }
    guard !core.isAsleep, core.areInterruptsOff else { return nil }
    var addresses: Set<UInt32> = []
    let (entry, location) = (core.programCounter, here)
    let time = bench.machine.clock.nanoseconds
    for _ in 0..<2000 {
      addresses.insert(core.programCounter)
      guard addresses.count <= 32 else { return nil }
      _ = bench.machine.step()
      if core.isAsleep || !core.areInterruptsOff { return nil }
    }
    if core.architecture == .arm, addresses.allSatisfy(doesNothing) {
      return (failure("an endless loop with interrupts disabled", at: location, time: time), true)
    }
    guard isInside(addresses, for: 1_000_000_000) else { return nil }
    var what = "a loop with interrupts disabled, which did not end within one more second"
    if let library = core.libraryEnding, symbols.function(at: entry)?.name == library.symbol {
      what =
        "main has returned: \(library.name) ends a program in a loop with interrupts disabled"
    } else if core.beginsWithInterruptsOff, addresses.count > 1 {
      let note = failure(
        "\(what) (a wait, a delay, or an endless loop)", at: location, time: time)
      return (Array(note.prefix(1)), false)
    }
    return (failure(what, at: location, time: time), true)
  }

  /// Returns whether the program stays in a loop for a time.
  ///
  /// It does if it neither executes a nearby instruction outside the loop nor returns from the loop's function.
  private func isInside(_ loop: Set<UInt32>, for time: UInt64) -> Bool {
    let machine = bench.machine
    var exits: Set<UInt32> = []
    for address in loop {
      for exit in stride(from: max(address, 256) - 256, through: address &+ 256, by: 2) {
        exits.insert(exit)
      }
    }
    if core.architecture == .arm { exits.insert(UInt32(core.readRegister(14)) & ~1) }
    exits.subtract(loop)
    exits.subtract(machine.breakpoints.addresses)
    exits.forEach(machine.breakpoints.insert)
    defer { exits.forEach(machine.breakpoints.remove) }
    let end = machine.clock.nanoseconds &+ time
    while true {
      switch machine.run(until: end) {
      case .reached: return core.areInterruptsOff && !core.isAsleep
      case .watchpoint: continue
      default: return false
      }
    }
  }
}

extension MachineCore {
  /// `true` if the program has disabled interrupts.
  var areInterruptsOff: Bool {
    if let core = self as? ArmCore {
      return core[special: .primask] != 0 || core[special: .faultmask] != 0
    }
    // SREG follows the 32 registers; its top bit is I.
    return architecture == .avr && readRegister(32) & 0x80 == 0
  }
}

/// Stack overflow and underflow.
extension CrashReport {
  /// The failure message if the stack pointer is outside RAM, or if an exception frame could not be written to the
  /// stack; otherwise `nil`.
  var stackOverflow: [String]? {
    let stack = UInt64(core.stackPointer)
    let ram = bench.profile.ram
    let status = word(Self.cfsr) ?? 0
    let isOutside = !(ram.lowerBound...ram.upperBound).contains(stack)
    guard isOutside || status & 0x1010 != 0 else { return nil }
    if stack > ram.upperBound {
      return failure(
        "the stack pointer is \(shown(stack)), above the RAM (\(shown(ram.lowerBound)) to "
          + "\(shown(ram.upperBound - 1))): it was not initialized, or not to a RAM address")
    }
    let from = UInt32(truncatingIfNeeded: isOutside ? ram.lowerBound : stack)
    return failure(
      "stack overflow: the stack pointer is \(shown(stack)), the RAM \(shown(ram.lowerBound)) to "
        + shown(ram.upperBound), at: culprit(from))
  }

  /// Returns the failure message for a stack that has grown into the variables below it.
  func stackInVariables() -> [String] {
    let stack = core.stackPointer
    let end = bench.stackEnd ?? 0
    guard end > bench.profile.ram.lowerBound else {
      return failure(
        "stack overflow: the stack pointer is \(shown(UInt64(stack))), and the RAM begins at "
          + "\(shown(end)), after the I/O registers", at: culprit(stack))
    }
    let victim = symbols.object(at: UInt32(truncatingIfNeeded: max(end, 1) - 1))
    let name = victim.map { ", the last of them '\($0.name)'" } ?? ""
    return failure(
      "stack overflow: the stack pointer is \(shown(UInt64(stack))), and the variables below the stack end at "
        + shown(end) + name, at: culprit(stack))
  }

  /// Returns the failure message for an instruction at an address that read the stack above its top.
  func stackPastTop(_ address: UInt32) -> [String] {
    failure(
      "the stack was read past its top: the stack pointer is \(shown(UInt64(core.stackPointer))), and the RAM ends at "
        + shown(bench.profile.ram.upperBound - 1), at: symbols.location(address))
  }

  private func shown(_ address: UInt64) -> String { "0x" + String(address, radix: 16) }

  private func culprit(_ stack: UInt32) -> String? {
    deepest(stack).map { "\($0), the most frequent function on the stack" }
  }

  /// Returns the function to which most return addresses in the 4 KiB above an address belong.
  private func deepest(_ address: UInt32) -> String? {
    let addresses =
      core.architecture == .arm ? returnsOfARM(above: address) : returnsOfAVR(above: address)
    var counts: [String: Int] = [:]
    for address in addresses {
      if let function = symbols.function(at: address) { counts[function.name, default: 0] += 1 }
    }
    return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
  }

  private func returnsOfARM(above address: UInt32) -> [UInt32] {
    stride(from: UInt32(0), to: 4096, by: 4).compactMap { offset in
      guard let value = word(address &+ offset), value & 1 == 1, isCode(value & ~1) else {
        return nil
      }
      return value & ~1
    }
  }

  /// Returns the return addresses on an AVR stack, which are word addresses in big-endian order.
  func returnsOfAVR(above address: UInt32) -> [UInt32] {
    let top = UInt32(truncatingIfNeeded: bench.profile.ram.upperBound)
    guard address < top else { return [] }
    return (address + 1..<max(top, address + 2) - 1).compactMap(returnOfAVR)
  }

  /// Returns the return address at a location on an AVR stack; `nil` if the address stored there does not follow a
  /// call.
  func returnOfAVR(at address: UInt32) -> UInt32? {
    // The registers below RAM must not be read, because that has side effects.
    guard bench.profile.ram.contains(UInt64(address)),
      let high = core.readByte(0x80_0000 + address),
      let low = core.readByte(0x80_0000 + address + 1)
    else { return nil }
    let back = (UInt32(high) << 8 | UInt32(low)) * 2
    return isCode(back) && followsCall(back) ? back : nil
  }

  private func followsCall(_ address: UInt32) -> Bool {
    let (near, far) = (code(address &- 2) ?? 0, code(address &- 4) ?? 0)
    return near & 0xF000 == 0xD000 || near == 0x9509 || far & 0xFE0E == 0x940E
  }

  /// Returns the 16-bit code word at an address; `nil` if it is unmapped.
  func code(_ address: UInt32) -> UInt32? {
    guard let low = core.readByte(address), let high = core.readByte(address &+ 1) else {
      return nil
    }
    return UInt32(high) << 8 | UInt32(low)
  }
}

/// Runaway AVR programs, which stop at an undefined instruction because the core has no fault exceptions.
extension CrashReport {
  /// Returns the failure message for a core that has reached an undefined instruction.
  func undefinedInstruction(_ word: UInt16) -> [String] {
    let address = core.programCounter
    let number = "0x" + String(address, radix: 16)
    let isErased = word == 0xFFFF
    guard !isCode(address) else {
      return failure(
        "0x\(String(word, radix: 16, uppercase: true)) is not a valid instruction", at: here)
    }
    let what = isErased ? "erased flash" : "an address without code"
    return failure("execution has reached \(what)", at: number + way(to: address))
  }

  /// Returns a description of how the program reached an address without code, as far as the stack reveals it.
  private func way(to address: UInt32) -> String {
    if let before = lastFunction(before: address) {
      return ", after the end of \(before)"
    }
    let stack = core.stackPointer
    if let back = returnOfAVR(at: stack + 1), mayCall(address, before: back) {
      return ", called from \(symbols.location(back))"
    }
    guard let back = returnsOfAVR(above: stack).first else { return "" }
    return "; the last function on its stack is \(symbols.location(back))"
  }

  /// Returns whether the call before a return address may have reached a target.
  ///
  /// An indirect call may reach any target, a direct call only its own.
  private func mayCall(_ target: UInt32, before back: UInt32) -> Bool {
    guard let near = code(back &- 2), let far = code(back &- 4) else { return false }
    if near == 0x9509 { return true }
    if far & 0xFE0E == 0x940E { return near * 2 == target }
    let offset = Int32(bitPattern: near << 20) >> 20
    return UInt32(bitPattern: Int32(bitPattern: back) &+ offset * 2) & 0x7FFF == target
  }

  /// Returns the function that ends directly before an address, past whose end the program may have run.
  private func lastFunction(before address: UInt32) -> String? {
    guard address > 1, isCode(address - 2),
      let function = symbols.functions.last(where: { $0.address < address })
    else { return nil }
    return function.name
  }
}

/// Branches without the Thumb bit on an ARM core, whose exception frame does not contain the address of the branch.
extension CrashReport {
  /// The target of a branch without the Thumb bit, and the link register, from the exception frame at the entry of the
  /// fault handler; `nil` for other faults.
  ///
  /// Source: INVSTATE, ARMv7-M Architecture Reference Manual, B3.2.15.
  var jumpWithoutThumb: (target: UInt32, link: UInt32)? {
    guard let status = word(Self.cfsr), status >> 17 & 1 != 0, let link = word(frame &+ 20),
      let target = word(frame &+ 24), let flags = word(frame &+ 28), flags >> 24 & 1 == 0
    else { return nil }
    return (target & ~1, link)
  }

  /// Returns a description of the location in the link register, which is the caller if the instruction before the
  /// location is a call.
  func origin(_ link: UInt32) -> String {
    let back = link & ~1
    guard link & 1 != 0, isCode(back) else { return "" }
    return (followsBranch(back) ? ", called from " : "; R14 names ") + symbols.location(back)
  }

  /// Returns whether BLX precedes an address; BL is not checked because it always sets the Thumb bit.
  private func followsBranch(_ address: UInt32) -> Bool {
    code(address &- 2).map { $0 & 0xFF87 == 0x4780 } ?? false
  }
}

/// A measurement of the stack depth.
///
/// RAM below the initial stack pointer is filled with a pattern (painted) before the program starts, and checked at the
/// end. Only the initial stack is measured, because the stacks of RTOS tasks are elsewhere.
struct StackPaint {
  private static let colour: UInt8 = 0xA5
  /// The number of consecutive painted bytes that mark the end of the stack, because frames may contain unwritten bytes.
  private static let gap = 128

  private let memory: MachineMemory
  /// The painted range, as offsets in RAM.
  private let range: Range<Int>

  /// Paints the RAM; returns `nil` if no RAM is free below the initial stack pointer.
  ///
  /// - Parameters:
  ///   - image: the image, whose variables are not painted if their addresses are known.
  ///   - profile: the memories of the microcontroller.
  ///   - stack: the initial stack pointer; `nil` for the end of RAM.
  ///   - memory: the RAM.
  init?(_ image: FirmwareImage, in profile: MemoryProfile, stack: UInt32?, _ memory: MachineMemory)
  {
    let top = stack.map { min(UInt64($0), profile.ram.upperBound) } ?? profile.ram.upperBound
    let variables = image.variables(in: profile).filter { $0.upperBound <= top }
    let floor = variables.map(\.upperBound).max() ?? profile.ram.lowerBound
    guard floor < top else { return nil }
    self.memory = memory
    range = Int(floor - profile.ram.lowerBound)..<Int(top - profile.ram.lowerBound)
    memory.load(
      repeatElement(Self.colour, count: range.count), at: memory.base + UInt32(range.lowerBound))
  }

  /// The number of bytes from the initial stack pointer down to the painted bytes that mark the end of the stack.
  var depth: Int {
    let bytes = memory.bytes.assumingMemoryBound(to: UInt8.self)
    var lowest = range.upperBound
    for offset in range.reversed() {
      if bytes[offset] != Self.colour {
        lowest = offset
      } else if lowest - offset > Self.gap {
        break
      }
    }
    return range.upperBound - lowest
  }
}

extension FirmwareImage {
  /// Returns the RAM ranges that the image's variables occupy, without overlaps; empty if they are unknown.
  func variables(in profile: MemoryProfile) -> [Range<UInt64>] {
    guard form == .elf else { return [] }
    let loaded = profile.architecture == .arm ? segments.map(\.range) : []
    var found: [Range<UInt64>] = []
    let all = (reserved + loaded).filter { profile.ram.contains($0.lowerBound) }
    for range in all.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = found.last, last.upperBound >= range.lowerBound {
        found[found.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        found.append(range)
      }
    }
    return found
  }

  /// Returns the number of bytes that the image's variables occupy in RAM; `nil` if it is unknown.
  func variableBytes(in profile: MemoryProfile) -> Int? {
    guard form == .elf else { return nil }
    return variables(in: profile).reduce(0) { $0 + $1.count }
  }

  /// Returns the number of bytes that the image occupies in flash.
  func flashBytes(in profile: MemoryProfile) -> Int {
    segments.filter { profile.flash.contains($0.range.lowerBound) }.reduce(0) {
      $0 + $1.bytes.count
    }
  }
}
