import Images
import Machines

/// Code of an AVR that has run off: such a part knows no fault, and stands at a word that is no instruction.
extension StandstillReport {
  /// What is wrong where the core stands at a word of flash that is no instruction.
  func ranOff(_ word: UInt16) -> [String] {
    let address = core.programCounter
    let number = "0x" + String(address, radix: 16)
    let isErased = word == 0xFFFF
    guard !isCode(address) else {
      return failure(
        "0x\(String(word, radix: 16, uppercase: true)) is no instruction of this core", at: here)
    }
    let what = isErased ? "the flash is erased" : "the image has no code"
    return failure("it has run off to where \(what)", at: number + way(to: address))
  }

  /// How the program came to where there is no code, as far as its stack tells.
  private func way(to address: UInt32) -> String {
    if let before = lastFunction(before: address) {
      return ", behind the end of \(before)"
    }
    let stack = core.stackPointer
    if let back = returnOfAVR(at: stack + 1), mayCall(address, before: back) {
      return ", called from \(symbols.place(back))"
    }
    guard let back = returnsOfAVR(above: stack).first else { return "" }
    return "; the last function on its stack is \(symbols.place(back))"
  }

  /// Whether the call before an address may have gone to another one: by a pointer, or to just that.
  private func mayCall(_ target: UInt32, before back: UInt32) -> Bool {
    guard let near = code(back &- 2), let far = code(back &- 4) else { return false }
    if near == 0x9509 { return true }
    if far & 0xFE0E == 0x940E { return near * 2 == target }
    let offset = Int32(bitPattern: near << 20) >> 20
    return UInt32(bitPattern: Int32(bitPattern: back) &+ offset * 2) & 0x7FFF == target
  }

  /// The function behind which an address lies at once, so that the program has run on into it.
  private func lastFunction(before address: UInt32) -> String? {
    guard address > 1, isCode(address - 2),
      let function = symbols.functions.last(where: { $0.address < address })
    else { return nil }
    return function.name
  }
}
