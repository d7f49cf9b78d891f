import Images
import Machines

/// Stacks that have grown too far.
extension StandstillReport {
  /// A stack that has grown out of its memory, with the function that is there most often.
  var stackOverflow: [String]? {
    let stack = UInt64(core.stackPointer)
    let ram = bench.profile.ram
    let status = word(0xE000_ED28) ?? 0
    let isOutside = !(ram.lowerBound...ram.upperBound).contains(stack)
    guard isOutside || status & 0x1010 != 0 else { return nil }
    if stack > ram.upperBound {
      return failure(
        "the stack pointer is \(shown(stack)), above the RAM, which is \(shown(ram.lowerBound)) to "
          + "\(shown(ram.upperBound - 1)): it was not set, or set to no RAM")
    }
    let from = UInt32(truncatingIfNeeded: isOutside ? ram.lowerBound : stack)
    return failure(
      "stack overflow: the stack pointer is \(shown(stack)), the RAM \(shown(ram.lowerBound)) to "
        + shown(ram.upperBound), at: culprit(from))
  }

  /// A stack that has grown into the variables below it.
  func stackInVariables() -> [String] {
    let stack = core.stackPointer
    let end = bench.stackEnd ?? 0
    guard end > bench.profile.ram.lowerBound else {
      return failure(
        "stack overflow: the stack pointer is \(shown(UInt64(stack))), and the RAM begins at "
          + "\(shown(end)), behind the I/O registers", at: culprit(stack))
    }
    let victim = symbols.object(at: UInt32(truncatingIfNeeded: max(end, 1) - 1))
    let name = victim.map { ", the last of them '\($0.name)'" } ?? ""
    return failure(
      "stack overflow: the stack pointer is \(shown(UInt64(stack))), and the variables below the stack end at "
        + shown(end) + name, at: culprit(stack))
  }

  /// A stack that was read above its top, by the instruction at an address.
  func stackPastTop(_ address: UInt32) -> [String] {
    failure(
      "the stack was read past its top: the stack pointer is \(shown(UInt64(core.stackPointer))), and the RAM ends at "
        + shown(bench.profile.ram.upperBound - 1), at: symbols.place(address))
  }

  private func shown(_ address: UInt64) -> String { "0x" + String(address, radix: 16) }

  private func culprit(_ stack: UInt32) -> String? {
    deepest(stack).map { "\($0), which is on the stack most often" }
  }

  /// The function whose return addresses lie most often in the 4 KiB above an address.
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

  /// The addresses behind calls: in words, the high byte first.
  func returnsOfAVR(above address: UInt32) -> [UInt32] {
    let top = UInt32(truncatingIfNeeded: bench.profile.ram.upperBound)
    guard address < top else { return [] }
    return (address + 1..<max(top, address + 2) - 1).compactMap(returnOfAVR)
  }

  /// The address behind a call that lies at a place of the data space, where one does.
  func returnOfAVR(at place: UInt32) -> UInt32? {
    // Below RAM are registers, which a look would use.
    guard bench.profile.ram.contains(UInt64(place)), let high = core.readByte(0x80_0000 + place),
      let low = core.readByte(0x80_0000 + place + 1)
    else { return nil }
    let back = (UInt32(high) << 8 | UInt32(low)) * 2
    return isCode(back) && isBehindCall(back) ? back : nil
  }

  private func isBehindCall(_ address: UInt32) -> Bool {
    let (near, far) = (code(address &- 2) ?? 0, code(address &- 4) ?? 0)
    return near & 0xF000 == 0xD000 || near == 0x9509 || far & 0xFE0E == 0x940E
  }

  /// The word of code at an address.
  func code(_ address: UInt32) -> UInt32? {
    guard let low = core.readByte(address), let high = core.readByte(address &+ 1) else {
      return nil
    }
    return UInt32(high) << 8 | UInt32(low)
  }
}
