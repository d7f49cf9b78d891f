import Doctor
import Foundation
import Support
import Testing

/// Checks of device nodes and kernels.
struct DoctorTests {
  @Test("a regular file at the path of an adapter is reported as broken")
  func files() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "i2c-\(UUID().uuidString)")
      .path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try "left by a program".write(toFile: path, atomically: true, encoding: .utf8)
    let file = Doctor.adapter(path, name: nil)
    #expect(file.severity == .error && file.rule == path)
    #expect(file.message.contains("not a device node"), "\(file.message)")
    let device = Doctor.adapter("/dev/null", name: "a name")
    #expect(device.severity == .passed && device.rule == "/dev/null, a name")
    #expect(Doctor.adapter("/nowhere/i2c-1", name: nil).severity == .skipped)
  }

  @Test(
    "kernel features are derived from the version number, whatever suffix follows",
    arguments: [
      ("6.18.44", true, "new enough for everything"), ("5.19.0-rc1+", true, "everything"),
      ("6.1.0-rpi7-rpi-v8", true, "everything"), ("5.18.19", false, "before 5.19"),
      ("5.9.0", false, "before 5.19"), ("5.8.18", false, "require 5.9"),
      ("4.19.0-27-amd64", false, "require 5.9"), ("10.0", true, "everything"),
      ("unknown", false, "unknown version"),
    ])
  func kernels(_ release: String, isGood: Bool, words: String) {
    let finding = Doctor.kernel(release)
    #expect(finding.severity == (isGood ? .passed : .skipped))
    #expect(finding.message.contains(words) && finding.message.contains(release))
  }

  @Test("without access to a node, the recommended remedy depends on the node's group and mode")
  func remedies() {
    let group = Doctor.remedy(mode: 0o20660, group: "i2c", isListed: false)
    #expect(group.contains("usermod -aG i2c USER"), "\(group)")
    let login = Doctor.remedy(mode: 0o20660, group: "i2c", isListed: true)
    #expect(login.contains("next login") && !login.contains("usermod"), "\(login)")
    for text in [
      Doctor.remedy(mode: 0o20600, group: "root", isListed: false),
      Doctor.remedy(mode: 0o20660, group: nil, isListed: false),
    ] {
      #expect(text.contains("udev") && !text.contains("usermod"), "\(text)")
    }
  }

  @Test("adapters without a device node are listed with the kernel module to load")
  func absentNodes() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    for name in ["i2c-1", "i2c-20", "1-0076", "i2c-INT33C2"] {
      try FileManager.default.createDirectory(
        at: folder.appending(path: name), withIntermediateDirectories: true)
    }
    let text = Doctor.absence(devices: folder.path)
    #expect(text.contains("the kernel has i2c-1, i2c-20: run modprobe i2c-dev"), "\(text)")
    #expect(Doctor.absence(devices: "/no/such/folder").contains("rigs do not require one"))
  }

  @Test("each optional kernel feature is a separate finding, with a remedy")
  func machine() {
    let findings = Doctor.machine()
    #expect(
      findings.map(\.rule)
        == ["kernel", "read and write on copies of a bus", "aneroid exec --clock virtual"])
    for finding in findings where finding.severity != .passed {
      #expect(finding.message.count > 40, "\(finding.message)")
    }
  }
}
