import Images
import Machines

/// Jumps of an ARM core without the Thumb bit, whose frame tells no caller by itself.
extension StandstillReport {
  /// Where such a jump went, and the link register then, where the handler of the fault that it raised begins (INVSTATE,
  /// ARMv7-M Architecture Reference Manual, B3.2.15).
  var jumpWithoutThumb: (target: UInt32, link: UInt32)? {
    guard let status = word(0xE000_ED28), status >> 17 & 1 != 0, let link = word(frame &+ 20),
      let target = word(frame &+ 24), let flags = word(frame &+ 28), flags >> 24 & 1 == 0
    else { return nil }
    return (target & ~1, link)
  }

  /// Who jumped, as far as the link register tells: the caller where a call stands before the place that it names.
  func origin(_ link: UInt32) -> String {
    let back = link & ~1
    guard link & 1 != 0, isCode(back) else { return "" }
    return (isBehindBranch(back) ? ", called from " : "; R14 names ") + symbols.place(back)
  }

  /// Whether BLX stands before an address; BL never jumps without the Thumb bit.
  private func isBehindBranch(_ address: UInt32) -> Bool {
    code(address &- 2).map { $0 & 0xFF87 == 0x4780 } ?? false
  }
}
