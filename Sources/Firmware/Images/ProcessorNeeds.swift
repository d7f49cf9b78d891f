/// What a file says of the processor that it was built for.
package struct ProcessorNeeds: Hashable, Sendable {
  /// The name of the processor, such as `cortex-m4`, or of the microcontroller of an AVR, in lower case.
  package internal(set) var name: String?
  /// Whether it needs instructions beyond ARMv6-M.
  package internal(set) var isBeyondBaseline = false
  /// Whether it passes numbers in the registers of an FPU.
  package internal(set) var hasHardFloat = false
  /// The family of an AVR, such as 5 for those with 16 to 64 KiB of flash.
  package internal(set) var avrFamily: Int?
}
