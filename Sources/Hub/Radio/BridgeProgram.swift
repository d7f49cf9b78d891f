import Foundation

/// Where the bridge to Bluetooth is, for who runs a checkout without an installed Python package.
package enum BridgeProgram {
  /// Names the module to Python where `python3 -m aneroid.ble` would not find it, unless ANEROID_BLE is set: that of the checkout, with
  /// the environment of its tests where that is there, or that in `python` beside this program or in `../share/aneroid/python`; in
  /// the `bin` of a virtual environment, it names the Python of that.
  ///
  /// It changes this program's environment, which is that of the programs that it starts: it is called before there are threads.
  package static func find() {
    let environment = ProcessInfo.processInfo.environment
    guard environment["ANEROID_BLE"] == nil,
      var folder = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    else { return }
    let beside = (folder as NSString).deletingLastPathComponent
    while folder.count > 1 {
      folder = (folder as NSString).deletingLastPathComponent
      let modules = folder + "/Sources/Python"
      guard add(modules) else { continue }
      let python = folder + "/.build-hub-python/bin/python"
      if !python.contains(" "), FileManager.default.isExecutableFile(atPath: python) {
        setenv("ANEROID_BLE", python + " -m aneroid.ble", 1)
      }
      return
    }
    _ = add(beside + "/python") || add(beside + "/../share/aneroid/python")
    let python = beside + "/python3"
    if FileManager.default.fileExists(atPath: beside + "/../pyvenv.cfg"), !python.contains(" "),
      FileManager.default.isExecutableFile(atPath: python)
    {
      setenv("ANEROID_BLE", python + " -m aneroid.ble", 1)
    }
  }

  /// Lets Python look in a folder, if the module is there.
  private static func add(_ modules: String) -> Bool {
    guard FileManager.default.fileExists(atPath: modules + "/aneroid/ble.py") else { return false }
    let others = ProcessInfo.processInfo.environment["PYTHONPATH"].map { ":" + $0 } ?? ""
    setenv("PYTHONPATH", modules + others, 1)
    setenv("PYTHONDONTWRITEBYTECODE", "1", 0)
    return true
  }
}
