/// Semihosting: a program executes a breakpoint instruction (BKPT 0xAB on an ARM core) to write text, read the time or
/// exit.
///
/// Source: Arm's "Semihosting for AArch32 and AArch64", release 2024Q3. Files are not supported; a program can open only
/// the console (`:tt`) and `:semihosting-features`.
package struct Semihosting {
  /// The result of a request.
  package enum Response: Equatable, Sendable {
    /// The program continues, with this result in R0.
    case result(UInt32)
    /// The program exits with this status.
    case exit(Int32)
    /// The request number is not defined.
    case unknown(UInt32)
  }

  /// The output stream to which the program writes text.
  package enum Stream: Sendable { case output, error }

  /// The maximum length of text in one request, in bytes.
  static let longest: UInt32 = 1 << 20
  private static let failed = UInt32.max
  private static let features: [UInt8] = Array("SHFB".utf8) + [3]
  private static let (input, output, error, magic): (UInt32, UInt32, UInt32, UInt32) = (1, 2, 3, 4)

  /// Console input that the program has not read yet.
  package var typed: [UInt8] = []
  /// Seconds since 1970 at virtual time 0.
  package var epoch: UInt32 = 0
  /// A callback for console output.
  package var output: (Stream, [UInt8]) -> Void
  /// The heap limits that SYS_HEAPINFO returns; 0 leaves a limit to the program.
  package var heap = (base: UInt32(0), limit: UInt32(0))
  /// The stack limits that SYS_HEAPINFO returns; 0 leaves a limit to the program.
  package var stack = (base: UInt32(0), limit: UInt32(0))

  private var errno: UInt32 = 0
  private var featuresRead = 0

  package init(output: @escaping (Stream, [UInt8]) -> Void) { self.output = output }

  /// Serves a request.
  ///
  /// - Parameters:
  ///   - operation: the operation number, in R0 on an ARM core.
  ///   - parameter: the argument or the address of the arguments, in R1 on an ARM core.
  ///   - memory: the memory of the program.
  ///   - nanoseconds: the virtual time.
  /// - Returns: the result for the program, or its exit status.
  package mutating func serve(
    _ operation: UInt32, _ parameter: UInt32, memory: SemihostingMemory, nanoseconds: UInt64
  ) -> Response {
    switch operation {
    case 0x18: return .exit(parameter == 0x2_0026 ? 0 : 1)
    case 0x20:
      let isNormal = memory.word(parameter) == 0x2_0026
      return .exit(isNormal ? Int32(bitPattern: memory.argument(parameter, 1)) : 1)
    case 0x10: return .result(UInt32(truncatingIfNeeded: nanoseconds / 10_000_000))
    case 0x11: return .result(epoch &+ UInt32(truncatingIfNeeded: nanoseconds / 1_000_000_000))
    case 0x30:
      let isWritten =
        memory.put(UInt32(truncatingIfNeeded: nanoseconds), at: parameter)
        && memory.put(UInt32(truncatingIfNeeded: nanoseconds >> 32), at: parameter &+ 4)
      return .result(isWritten ? 0 : fail())
    case 0x31: return .result(1_000_000_000)
    default: return serveConsole(operation, parameter, memory)
    }
  }

  private mutating func fail(_ number: UInt32 = 22) -> UInt32 {
    errno = number
    return Self.failed
  }

  private mutating func serveConsole(
    _ operation: UInt32, _ parameter: UInt32, _ memory: SemihostingMemory
  ) -> Response {
    func argument(_ number: UInt32) -> UInt32 { memory.argument(parameter, number) }
    switch operation {
    case 0x01: return .result(open(memory, argument(0), mode: argument(1), count: argument(2)))
    case 0x02: return .result((1...4).contains(argument(0)) ? 0 : fail(9))
    case 0x03: output(.output, memory.bytes(at: parameter, count: 1))
    case 0x04: output(.output, memory.text(at: parameter))
    case 0x05: return .result(write(memory, argument(0), argument(1), count: argument(2)))
    case 0x06: return .result(read(memory, argument(0), argument(1), count: argument(2)))
    case 0x07: return .result(typed.isEmpty ? fail(0) : UInt32(typed.removeFirst()))
    case 0x08: return .result(argument(0) >> 31)
    case 0x09: return .result((1...3).contains(argument(0)) ? 1 : 0)
    case 0x0C: return .result(argument(0) == Self.magic ? UInt32(Self.features.count) : fail())
    case 0x0A, 0x0D, 0x0E, 0x0F, 0x12: return .result(fail())
    case 0x13: return .result(errno)
    case 0x15: return .result(returnCommandLine(memory, parameter))
    case 0x16:
      let block = argument(0)
      let words = [heap.base, heap.limit, stack.base, stack.limit].enumerated()
      for (index, word) in words { _ = memory.put(word, at: block &+ UInt32(index * 4)) }
    default: return .unknown(operation)
    }
    return .result(0)
  }

  private mutating func open(
    _ memory: SemihostingMemory, _ name: UInt32, mode: UInt32, count: UInt32
  ) -> UInt32 {
    switch String(decoding: memory.bytes(at: name, count: count), as: UTF8.self) {
    case ":tt": return mode < 4 ? Self.input : mode < 8 ? Self.output : Self.error
    case ":semihosting-features" where mode < 4:
      featuresRead = 0
      return Self.magic
    default: return fail(2)
    }
  }

  /// Writes text to the console and returns the number of bytes that were not written.
  private mutating func write(
    _ memory: SemihostingMemory, _ handle: UInt32, _ address: UInt32, count: UInt32
  ) -> UInt32 {
    guard handle == Self.output || handle == Self.error else { return fail(9) }
    let bytes = memory.bytes(at: address, count: count)
    output(handle == Self.error ? .error : .output, bytes)
    return count &- UInt32(bytes.count)
  }

  /// Reads console input or the feature bits and returns the number of bytes that were not read.
  private mutating func read(
    _ memory: SemihostingMemory, _ handle: UInt32, _ address: UInt32, count: UInt32
  ) -> UInt32 {
    guard handle == Self.input || handle == Self.magic else { return fail(9) }
    let source = handle == Self.magic ? Self.features.dropFirst(featuresRead) : typed[...]
    var done: UInt32 = 0
    for byte in source.prefix(Int(count)) {
      guard memory.write(address &+ done, byte) else { break }
      done += 1
    }
    if handle == Self.magic { featuresRead += Int(done) } else { typed.removeFirst(Int(done)) }
    return count &- done
  }

  /// Serves SYS_GET_CMDLINE with an empty command line.
  private mutating func returnCommandLine(_ memory: SemihostingMemory, _ block: UInt32) -> UInt32 {
    let isWritten =
      memory.argument(block, 1) > 0 && memory.write(memory.word(block), 0)
      && memory.put(0, at: block &+ 4)
    return isWritten ? 0 : fail()
  }
}

/// Byte-wise access to the memory of a program that uses semihosting.
package struct SemihostingMemory {
  /// Reads a byte; `nil` if the address is unmapped.
  package var read: (UInt32) -> UInt8?
  /// Writes a byte; returns `false` if the address does not accept writes.
  package var write: (UInt32, UInt8) -> Bool

  /// Creates memory access from a read and a write function.
  package init(read: @escaping (UInt32) -> UInt8?, write: @escaping (UInt32, UInt8) -> Bool) {
    self.read = read
    self.write = write
  }

  /// Returns a little-endian word; unmapped bytes are 0.
  func word(_ address: UInt32) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(read(address &+ $1) ?? 0) << ($1 * 8) }
  }

  /// Returns a word of an argument block by its index.
  func argument(_ block: UInt32, _ number: UInt32) -> UInt32 { word(block &+ number &* 4) }

  /// Writes a word; returns whether all bytes were accepted.
  func put(_ value: UInt32, at address: UInt32) -> Bool {
    (0..<4).allSatisfy { write(address &+ $0, UInt8(truncatingIfNeeded: value >> ($0 * 8))) }
  }

  /// Returns `count` bytes, or fewer if an address in the range is unmapped.
  func bytes(at address: UInt32, count: UInt32) -> [UInt8] {
    var found: [UInt8] = []
    for offset in 0..<min(count, Semihosting.longest) {
      guard let byte = read(address &+ offset) else { break }
      found.append(byte)
    }
    return found
  }

  /// Returns the bytes before the terminating 0.
  func text(at address: UInt32) -> [UInt8] {
    var found: [UInt8] = []
    while UInt32(found.count) < Semihosting.longest,
      let byte = read(address &+ UInt32(found.count)), byte != 0
    {
      found.append(byte)
    }
    return found
  }
}
