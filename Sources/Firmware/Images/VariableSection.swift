/// A stretch of a program's variables, as its file names it: a section that is written at run time.
package struct VariableSection: Hashable, Sendable {
  /// Its name.
  package let name: String
  /// Its addresses, those of data.
  package let range: Range<UInt64>

  /// Whether it is room for a stack or a heap, and no variable: so linker scripts call it.
  var isRoom: Bool { name.lowercased().contains("stack") || name.lowercased().contains("heap") }
}

extension FirmwareImage {
  /// Where the main stack must not grow: behind the variables that lie below its beginning.
  ///
  /// The heap lies between them and the stack. How far it reaches the program alone knows (newlib's `sbrk` keeps it in a
  /// variable), and memory that it has not handed out may well be the stack's: only what is below the heap's beginning is
  /// certainly not. A stack that is an array among the variables, as those of RTOSes are, ends where the array begins.
  ///
  /// - Parameter top: the first value of the stack pointer.
  /// - Returns: the address behind the last variable; `nil` where the file does not tell, or none lies below the stack.
  package func stackEnd(from top: UInt64) -> UInt64? {
    let around = variables.first { $0.range.lowerBound < top && top <= $0.range.upperBound }
    if let around {
      let array = symbols.objects.first {
        UInt64($0.address) < top && top <= UInt64($0.address) + UInt64($0.size)
      }
      if let array { return UInt64(array.address) }
      return around.isRoom ? around.range.lowerBound : nil
    }
    return variables.filter { !$0.isRoom && $0.range.upperBound < top }.map(\.range.upperBound)
      .max()
  }
}
