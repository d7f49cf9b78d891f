import Images
import Machines

/// How deep a program's stack goes: RAM below its beginning is painted before the program runs, and looked at in the end.
///
/// It is the stack with which the program begins; those of the tasks of an operating system lie elsewhere.
struct StackPaint {
  private static let colour: UInt8 = 0xA5
  /// How many bytes that have kept their colour are the end of it: a frame may hold some that nobody wrote.
  private static let gap = 128

  private let memory: MachineMemory
  /// What is painted, counted from the beginning of the RAM.
  private let range: Range<Int>

  /// Paints; nothing where the stack has no memory below its beginning.
  ///
  /// - Parameters:
  ///   - image: the program; its variables, where it says which they are, are not painted.
  ///   - profile: where its memories are.
  ///   - stack: where its stack begins; at the end of the RAM when `nil`.
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

  /// How many bytes below its beginning are not as they were painted, up to the first stretch that is.
  var depth: Int {
    let bytes = memory.bytes.assumingMemoryBound(to: UInt8.self)
    var lowest = range.upperBound
    for place in range.reversed() {
      if bytes[place] != Self.colour { lowest = place } else if lowest - place > Self.gap { break }
    }
    return range.upperBound - lowest
  }
}
