import Foundation
import TestSupport
import Testing

/// Programs that cannot be served are reported in one line.
struct ExecNoticeTests {
  /// Copies a program to a directory accessible to all, with a mode.
  private func withCopy(_ mode: Int, _ body: (String) throws -> Void) throws {
    let folder = URL(filePath: "/tmp/aneroid-notice-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let copy = folder.appending(path: "client").path
    // A program that this process writes itself is busy if another test starts one meanwhile.
    try Tool.run("cp", [VirtualBusBench.client("raw"), copy])
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: copy)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
    try body(copy)
  }

  private func lines(_ text: String) -> [Substring] {
    text.split(separator: "\n").filter { $0.hasPrefix("aneroid: ") }
  }

  #if arch(x86_64)
    @Test("a 32-bit program sees no nodes and is reported once")
    func oldProgram() throws {
      let old = VirtualBusBench.client("old")
      let result = try VirtualBusBench.shell("\(old); echo $?; \(old); echo $?")
      #expect(result.output == "1\n1\n")
      #expect(lines(result.errors).count == 1)
      #expect(result.errors.contains("\(old) is a 32-bit program and sees no /dev/i2c-N"))
    }
  #endif

  @Test("an unreadable program sees no nodes and is reported once")
  func unreadable() throws {
    try withCopy(0o711) { copy in
      let result = try VirtualBusBench.shell(
        "\(copy); \(copy); i2cget -y 1 0x76 0xd0", as: .unprivileged)
      #expect(result.output.hasSuffix("0x60\n"))
      #expect(lines(result.errors).count == 1, "\(result.errors)")
      #expect(result.errors.contains("\(copy) is executable but not readable"))
      guard geteuid() == 0 else { return }
      // Root may access the memory of every program.
      let asRoot = try VirtualBusBench.exec([copy])
      #expect(asRoot.output == "2 60 1 1 60\n")
      #expect(asRoot.errors.isEmpty)
    }
  }

  @Test(
    "an interface that neither bench nor machine has is reported once, with what the bench has instead",
    arguments: [
      ("/dev/spidev0.0", "SPI"), ("/dev/gpiochip9", "GPIO"), ("/dev/gpiomem", "GPIO"),
      ("/sys/class/gpio/gpio4/value", "GPIO"),
      ("/sys/bus/iio/devices/iio:device9/name", "serve"),
      ("/sys/bus/w1/devices/28-1/w1_slave", "1-Wire"),
    ])
  func otherInterface(_ path: String, _ word: String) throws {
    let result = try VirtualBusBench.shell("cat \(path); cat \(path); true")
    #expect(lines(result.errors).count == 1, "\(result.errors)")
    #expect(result.errors.contains("a program tried to open \(path): "))
    #expect(result.errors.contains(word))
    let quiet = try VirtualBusBench.shell("ls /dev/null /usr; cat /dev/null")
    #expect(lines(quiet.errors).isEmpty)
  }

  @Test("a non-dumpable program is reported once")
  func notDumpable() throws {
    let script = """
      import ctypes, os
      ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
      print([os.path.exists('/dev/i2c-1') for round in range(3)])
      """
    let result = try VirtualBusBench.exec(["/usr/bin/python3", "-c", script], as: .unprivileged)
    #expect(result.output == "[False, False, False]\n")
    #expect(lines(result.errors).count == 1)
    #expect(result.errors.contains("is not dumpable, so its memory cannot be accessed"))
  }

  @Test("a program that would gain privileges is reported, unless root has started the bench")
  func privileges() throws {
    try withCopy(0o4755) { copy in
      let result = try VirtualBusBench.exec([copy], as: .unprivileged)
      #expect(result.output == "2 60 1 1 60\n")
      #expect(lines(result.errors).count == 1)
      #expect(result.errors.contains("\(copy) gains no privileges here"))
    }
  }

  @Test("an attempt to mount a node is reported")
  func mounts() throws {
    let result = try VirtualBusBench.exec([
      "unshare", "--mount", "--map-root-user", "mount", "--bind", "/dev/i2c-1", "/mnt",
    ])
    #expect(result.status != 0)
    #expect(lines(result.errors).count == 1, "\(result.errors)")
    #expect(result.errors.contains("tried to mount /dev/i2c-1 (for example bwrap --dev-bind)"))
  }
}
