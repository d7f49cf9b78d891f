import BluetoothLE
import Environment
import Foundation
import SensorTags
import TestSupport
import Testing

/// The folder with the guest's kernel and initial files; `nil` if it is not set.
private let guestFolder = ProcessInfo.processInfo.environment["ANEROID_TEST_GUEST"].map {
  URL(filePath: $0)
}

/// The tags as Linux receives them, with BlueZ's daemon and bleak in a guest whose controller is in
/// the tags' air.
///
/// `.ci/bluez` creates the guest.
struct TagGuestTests {
  @Test(
    "bluetoothctl and bleak find both tags, list their services, and receive correct values",
    .enabled(if: guestFolder != nil, ".ci/bluez creates the guest"), .timeLimit(.minutes(12)))
  func linux() throws {
    let folder = try #require(guestFolder)
    let stack = try TagStackTests.Stack(.cc2650)
    let other = SensorTag(
      .cc2541, on: try stack.bridge.radio(BLEAddress(0xC4BE_8470_3344)),
      in: ScriptedAir(constant: Air(pressure: 100_653, temperature: -18.5, humidity: 35)), seed: 6)
    other.powerOn()
    let port = FreePort.next()
    try stack.expose(on: "tcp-server:127.0.0.1:\(port)")
    let file = folder.appending(path: "console.txt")
    #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
    let machine = Process()
    machine.executableURL = URL(filePath: "/usr/bin/qemu-system-x86_64")
    machine.arguments = [
      "-M", "pc", "-accel", "tcg", "-m", "1024", "-nographic", "-no-reboot", "-nodefaults",
      "-chardev", "stdio,id=console,signal=off", "-serial", "chardev:console",
      "-chardev", "socket,id=hci,host=127.0.0.1,port=\(port)", "-serial", "chardev:hci",
      "-kernel", folder.appending(path: "vmlinuz").path,
      "-initrd", folder.appending(path: "initrd.gz").path,
      "-append", "console=ttyS0 quiet panic=-1 rdinit=/init",
    ]
    machine.standardInput = FileHandle.nullDevice
    machine.standardOutput = try FileHandle(forWritingTo: file)
    try machine.run()
    defer { if machine.isRunning { machine.terminate() } }
    stack.pump(for: 600, with: other) { !machine.isRunning }
    // In Swift, CR LF is one character.
    let said = String(decoding: try Data(contentsOf: file).filter { $0 != 0x0D }, as: UTF8.self)
    #expect(said.contains("guest: end\n") && said.contains("met 2\n"), "\(said)")
    try Self.check(said, "C4:BE:84:70:11:22", .cc2650, (25, 60))
    try Self.check(said, "C4:BE:84:70:33:44", .cc2541, (-18.5, 35))
    print(said)
  }

  /// Compares the guest's output for a tag with the tag's attribute table, and the notified words
  /// with the tag's air.
  private static func check(
    _ said: String, _ address: String, _ model: TagModel, _ air: (celsius: Double, humidity: Double)
  ) throws {
    for line in [
      "bluetoothctl Device \(address) \(model.advertisedName)",
      "\(address) named \(model.advertisedName) ", "\(address) model \(model.modelNumber)\n",
      "\(address) service f000aa20-0451-4000-b000-000000000000 at ",
      "\(address) characteristic f000aa21-0451-4000-b000-000000000000 notify|read\n",
      "\(address) service 0000180a-0000-1000-8000-00805f9b34fb at ",
      "\(address) service 0000ffe0-0000-1000-8000-00805f9b34fb at ",
      "\(address) off 00000000\n", "\(address) disconnected\n",
    ] { #expect(said.contains(line), "\(line) is not in:\n\(said)") }
    // The CC2541 tag has no barometer.
    let barometer = "\(address) service f000aa40-0451-4000-b000-000000000000 at "
    #expect(said.contains(barometer) == (model == .cc2650))
    let notifications = said.split(separator: "\n").filter { $0.hasPrefix("\(address) notified ") }
    #expect(notifications.count == 3)
    for line in notifications {
      let data = bytes(line.dropFirst("\(address) notified ".count))
      let (first, second) = (
        UInt16(data[0] & 0xFC) | UInt16(data[1]) << 8, UInt16(data[2] & 0xFC) | UInt16(data[3]) << 8
      )
      let (celsius, humidity) = (Double(first) / 65536, Double(second) / 65536)
      let isHDC = model == .cc2650
      #expect(abs((isHDC ? celsius * 165 - 40 : celsius * 175.72 - 46.85) - air.celsius) < 0.2)
      #expect(abs((isHDC ? humidity * 100 : humidity * 125 - 6) - air.humidity) < 0.2)
    }
  }
}
