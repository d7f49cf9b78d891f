import Foundation

/// Where the bridge to Bluetooth is, for who runs a checkout without an installed Python package.
package enum BridgeProgram {
  /// Names the checkout's own module to Python, and the environment of its tests where that is there, unless ANEROID_BLE is set.
  ///
  /// It changes this program's environment, which is that of the programs that it starts: it is called before there are threads.
  package static func find() {
    let environment = ProcessInfo.processInfo.environment
    guard environment["ANEROID_BLE"] == nil,
      var folder = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    else { return }
    while folder.count > 1 {
      folder = (folder as NSString).deletingLastPathComponent
      let modules = folder + "/Sources/Python"
      guard FileManager.default.fileExists(atPath: modules + "/aneroid/ble.py") else { continue }
      let others = environment["PYTHONPATH"].map { ":" + $0 } ?? ""
      setenv("PYTHONPATH", modules + others, 1)
      setenv("PYTHONDONTWRITEBYTECODE", "1", 0)
      let python = folder + "/.build-hub-python/bin/python"
      if !python.contains(" "), FileManager.default.isExecutableFile(atPath: python) {
        setenv("ANEROID_BLE", python + " -m aneroid.ble", 1)
      }
      return
    }
  }
}
