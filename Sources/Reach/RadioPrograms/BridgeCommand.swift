import Files
import Glibc

/// How the bridge to a Bluetooth stack is started.
package struct BridgeCommand: Hashable, Sendable {
  /// The program and its arguments.
  package let words: [String]
  /// What its environment has besides, or instead of, that of this program.
  package let environment: [String: String]

  /// A command whose environment is that of this program, unless told otherwise.
  package init(_ words: [String], environment: [String: String] = [:]) {
    (self.words, self.environment) = (words, environment)
  }

  /// The command of this program.
  package static var found: BridgeCommand {
    var path = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = max(readlink("/proc/self/exe", &path, path.count), 0)
    return BridgeCommand(beside: String(decoding: path[..<count], as: UTF8.self)) { name in
      getenv(name).map { String(cString: $0) }
    }
  }

  /// The words of ANEROID_BLE; else the module of Python's package, which is looked for about a program.
  ///
  /// It is that of the checkout in which the program lies, with an environment of the checkout that holds Bumble where there is one; or
  /// that in `python` beside the program or in `../share/aneroid/python`. A program in the `bin` of a virtual environment takes the
  /// Python of that. Where nothing is found, `python3` knows the module or does not.
  ///
  /// - Parameters:
  ///   - program: the path of the program.
  ///   - variable: the values of the environment.
  package init(beside program: String, _ variable: (String) -> String?) {
    let named = variable("ANEROID_BLE")?.split(separator: " ").map(String.init) ?? []
    guard named.isEmpty else {
      self.init(named)
      return
    }
    let beside = FilePath.folder(of: program)
    let (modules, python) = Self.checkout(above: beside) ?? Self.installed(in: beside)
    var environment: [String: String] = [:]
    if let modules {
      let others = variable("PYTHONPATH") ?? ""
      environment["PYTHONPATH"] = modules + (others.isEmpty ? "" : ":" + others)
      environment["PYTHONDONTWRITEBYTECODE"] = variable("PYTHONDONTWRITEBYTECODE") ?? "1"
    }
    self.init([python ?? "python3", "-m", "aneroid.ble"], environment: environment)
  }

  /// Where the module and the Python are.
  private typealias Place = (modules: String?, python: String?)

  /// The environments of a checkout that may hold Bumble: the one in which its hub is tested, and that of its other tests.
  private static let environments = [".build-hub-python", ".build-peers/bumble"]

  private static func checkout(above folder: String) -> Place? {
    var folder = folder
    while folder.utf8.count > 1 {
      let modules = folder + "/Sources/Python"
      if holdsModule(modules) {
        let environment = environments.map { "\(folder)/\($0)" }.first(where: holdsBumble)
        return (modules, environment.map { $0 + "/bin/python" })
      }
      folder = FilePath.folder(of: folder)
    }
    return nil
  }

  private static func installed(in folder: String) -> Place {
    let python = folder + "/python3"
    let isEnvironment = isThere(folder + "/../pyvenv.cfg") && access(python, X_OK) == 0
    let places = [folder + "/python", folder + "/../share/aneroid/python"]
    return (places.first(where: holdsModule), isEnvironment ? python : nil)
  }

  private static func holdsModule(_ folder: String) -> Bool { isThere(folder + "/aneroid/ble.py") }

  /// Whether a virtual environment has a Python with Bumble.
  private static func holdsBumble(_ environment: String) -> Bool {
    access(environment + "/bin/python", X_OK) == 0
      && (Folder.names(in: environment + "/lib") ?? []).contains {
        isThere("\(environment)/lib/\($0)/site-packages/bumble/device.py")
      }
  }

  private static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
