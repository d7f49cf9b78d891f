import Images
import Machines

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
