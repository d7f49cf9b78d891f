import Bridges
import Foundation
import Testing

/// The search for the Bluetooth bridge in a checkout, next to an installed program, and in a
/// virtual environment.
struct BridgeCommandTests {
  /// Calls `body` with a folder that contains the files; the files called python are executable.
  private static func withFiles(_ files: [String], _ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bridge \(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    for file in files {
      let path = folder.appending(path: file)
      try FileManager.default.createDirectory(
        at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data().write(to: path)
      guard path.lastPathComponent.hasPrefix("python") else { continue }
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path.path)
    }
    try body(folder.path)
  }

  private static let module = "Sources/Python/aneroid/ble.py"

  @Test(
    "the first folder with the bridge module is used, and a Python environment only with Bumble",
    arguments: [
      ([module], "python3", "Sources/Python"),
      ([module, ".build-hub-python/bin/python"], "python3", "Sources/Python"),
      (
        [
          module, ".build-hub-python/bin/python", ".build-peers/bumble/bin/python",
          ".build-peers/bumble/lib/python3.11/site-packages/bumble/device.py",
        ], "/.build-peers/bumble/bin/python", "Sources/Python"
      ),
      (
        [
          module, ".build-hub-python/bin/python", ".build-peers/bumble/bin/python",
          ".build-peers/bumble/lib/python3.11/site-packages/bumble/device.py",
          ".build-hub-python/lib/python3.12/site-packages/bumble/device.py",
        ], "/.build-hub-python/bin/python", "Sources/Python"
      ),
      (["usr/bin/python/aneroid/ble.py"], "python3", "usr/bin/python"),
      (
        ["usr/bin/aneroid", "usr/share/aneroid/python/aneroid/ble.py"], "python3",
        "usr/bin/../share/aneroid/python"
      ),
      (["usr/pyvenv.cfg", "usr/bin/python3"], "/usr/bin/python3", nil),
      (["usr/bin/python3"], "python3", nil),
      ([], "python3", nil),
    ] as [([String], String, String?)])
  func places(_ files: [String], _ python: String, _ modules: String?) throws {
    try Self.withFiles(files) { folder in
      let command = BridgeCommand(nextTo: folder + "/usr/bin/aneroid") { _ in nil }
      let program = python.hasPrefix("/") ? folder + python : python
      #expect(command.words == [program, "-m", "aneroid.ble"])
      #expect(command.environment["PYTHONPATH"] == modules.map { "\(folder)/\($0)" })
      #expect(command.environment["PYTHONDONTWRITEBYTECODE"] == modules.map { _ in "1" })
    }
  }

  @Test(
    "ANEROID_BLE replaces the bridge command, and PYTHONPATH follows the module's folder")
  func variables() throws {
    try Self.withFiles([Self.module]) { folder in
      func command(_ variables: [String: String]) -> BridgeCommand {
        BridgeCommand(nextTo: folder + "/usr/bin/aneroid") { variables[$0] }
      }
      #expect(
        command(["ANEROID_BLE": "env A=1 python -m x", "PYTHONPATH": "/y"])
          == BridgeCommand(["env", "A=1", "python", "-m", "x"]))
      let found = command([
        "ANEROID_BLE": " ", "PYTHONPATH": "/y", "PYTHONDONTWRITEBYTECODE": "",
      ])
      #expect(found.words == ["python3", "-m", "aneroid.ble"])
      #expect(
        found.environment
          == ["PYTHONPATH": "\(folder)/Sources/Python:/y", "PYTHONDONTWRITEBYTECODE": ""])
    }
  }
}
