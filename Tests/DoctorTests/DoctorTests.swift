import Foundation
import Testing

@testable import Doctor
@testable import Findings

/// What `aneroid doctor` says of what stands in /dev.
struct DoctorTests {
  @Test("only a device is an adapter: a file that a program left at its path is broken")
  func files() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "i2c-\(UUID().uuidString)")
      .path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try "left by a program".write(toFile: path, atomically: true, encoding: .utf8)
    let file = Doctor.adapter(path, name: nil)
    #expect(file.severity == .error && file.rule == path)
    #expect(file.message.contains("no device"), "\(file.message)")
    let device = Doctor.adapter("/dev/null", name: "a name")
    #expect(device.severity == .passed && device.rule == "/dev/null, a name")
    #expect(Doctor.adapter("/nowhere/i2c-1", name: nil).severity == .skipped)
  }
}
