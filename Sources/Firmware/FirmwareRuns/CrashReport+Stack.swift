import Images
import Machines

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
