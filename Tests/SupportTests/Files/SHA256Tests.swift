import Foundation
import Support
import Testing

@Suite("SHA-256")
struct SHA256Tests {
  /// The examples of FIPS 180-2, appendix B, and the empty message of NIST's short vectors.
  @Test(
    "the digests equal NIST's examples",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (
        String(repeating: "a", count: 1_000_000),
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
      ),
    ])
  func vectors(_ message: String, _ digits: String) {
    #expect(SHA256.digits(message) == digits)
  }

  @Test("the digests equal those of sha256sum at every length around a block boundary")
  func peer() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let lengths = Array(50...70) + Array(115...130)
    let messages = lengths.map { length in (0..<length).map { UInt8(($0 * 7 + length) % 256) } }
    for (length, message) in zip(lengths, messages) {
      try Data(message).write(to: folder.appending(path: "\(length)"))
    }
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/sha256sum")
    process.arguments = lengths.map { folder.appending(path: "\($0)").path }
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let sums = text.split(separator: "\n").map { String($0.prefix(64)) }
    let ours = messages.map { SHA256.digest($0).map(Hexadecimal.digits).joined() }
    #expect(sums == ours)
  }
}
