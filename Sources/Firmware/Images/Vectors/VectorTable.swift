/// The beginning of a program: where its stack starts and where it runs first.
package struct VectorTable: Hashable, Sendable {
  /// Where it lies.
  package let address: UInt32
  /// The first value of the stack pointer; `nil` for an AVR, whose program sets it.
  package let stack: UInt32?
  /// The first instruction.
  package let reset: UInt32

  /// Looks for the table of an image: where the flash begins, or where the image begins in it, as behind a boot loader.
  ///
  /// - Parameters:
  ///   - image: the image.
  ///   - profile: the memories.
  ///   - isGuess: whether nobody has said that the image is for this part: bytes for an AVR must then begin with a jump,
  ///     as nearly all do; a program without vectors begins with any instruction.
  /// - Throws: ``ImageProblem`` when there is none.
  init(
    of image: FirmwareImage, in profile: MemoryProfile, isGuess: Bool = false
  ) throws(ImageProblem) {
    let first = image.segments.first {
      profile.flash.contains($0.range.lowerBound) && $0.bytes.count >= 4
    }
    guard let first else {
      throw ImageProblem(
        "nothing of it lies in the flash of \(profile.name) (\(profile.flash.shown))")
    }
    address = first.address
    switch profile.architecture {
    case .arm:
      (stack, reset) = try Self.arm(image, address, profile)
    case .avr:
      stack = nil
      let mustJump = isGuess && image.architecture == nil
      if let target = Self.avr(first.bytes) {
        reset = target
      } else {
        if mustJump { throw Self.none(address, "its first instruction is not a jump") }
        reset = address
      }
    }
  }

  private static func arm(
    _ image: FirmwareImage, _ address: UInt32, _ profile: MemoryProfile
  ) throws(ImageProblem) -> (UInt32, UInt32) {
    guard let stack = image.word(at: address), let reset = image.word(at: address &+ 4) else {
      throw none(address, "it is shorter than two words")
    }
    guard stack % 4 == 0, UInt64(stack) > profile.ram.lowerBound,
      UInt64(stack) <= profile.ram.upperBound
    else {
      throw none(
        address,
        "its first word, 0x\(String(stack, radix: 16)), is no stack pointer into the RAM "
          + profile.ram.shown)
    }
    guard reset & 1 == 1, image.segments.contains(where: { $0.range.contains(UInt64(reset & ~1)) })
    else {
      throw none(
        address,
        "its second word, 0x\(String(reset, radix: 16)), is not the address of Thumb code in it")
    }
    return (stack, reset & ~1)
  }

  /// Where the first instruction of an AVR jumps, RJMP or JMP, usually to the start-up code; `nil` for another one.
  private static func avr(_ bytes: [UInt8]) -> UInt32? {
    let first = UInt32(bytes[0]) | UInt32(bytes[1]) << 8
    if first & 0xF000 == 0xC000 {
      return ((first & 0xFFF) &+ 1) &* 2 & 0x1FFF
    }
    if first & 0xFE0E == 0x940C {
      let low = UInt32(bytes[2]) | UInt32(bytes[3]) << 8
      return ((first >> 3 & 0x3E | first & 1) << 16 | low) &* 2
    }
    return nil
  }

  private static func none(_ address: UInt32, _ reason: String) -> ImageProblem {
    ImageProblem("no vector table at 0x\(String(address, radix: 16)): \(reason)")
  }
}
