import CInterposer
import Glibc

/// What a program is called, for sentences to the user.
enum ProgramName {
  /// The name of the program of a thread, with its number.
  static func of(_ thread: Int32) -> String {
    let name = [CChar](unsafeUninitializedCapacity: 64) { buffer, count in
      count = max(interposer_program_name(thread, buffer.baseAddress, buffer.count), 0)
    }
    let text = String(decoding: name.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return text.isEmpty ? "a program (process \(thread))" : "\(text) (process \(thread))"
  }
}
