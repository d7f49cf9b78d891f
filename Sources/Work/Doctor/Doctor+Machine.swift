import Findings
import Glibc
import Interposer
import Text

/// What `aneroid exec` needs of this machine besides the way to answer system calls.
extension Doctor {
  /// The kernel, and what programs on a bench find there only where the machine allows it.
  static func machine() -> [Finding] {
    var names = utsname()
    uname(&names)
    let release = withUnsafeBytes(of: &names.release) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    return [
      kernel(release),
      Finding(
        subject: "read and write on copies of a bus", problem: Availability.problemOfFiles(),
        good: "dup2 to any number works on a bench"),
      Finding(
        subject: "aneroid exec --clock virtual", problem: Availability.problemOfTracing(),
        good: "programs can be given a time of their own"),
    ]
  }

  /// What a kernel is too old for.
  ///
  /// - Parameter release: as `uname -r` prints it, for example "6.1.0-rpi7-rpi-v8".
  /// - Returns: whether it is new enough for all, else for what it is not.
  static func kernel(_ release: String) -> Finding {
    let parts = release.split(separator: ".", maxSplits: 2)
    let numbers = parts.prefix(2).compactMap { Int($0.prefix { $0.isNumber }) }
    guard numbers.count == 2 else {
      return Finding(
        standing: .absent, subject: "kernel", detail: "Linux \(release): nobody knows how old it is"
      )
    }
    let version = (numbers[0], numbers[1])
    let isGood = version >= (5, 19)
    let lack =
      version < (5, 9)
      ? "aneroid exec, audit and pytest need 5.9 or newer; all else works"
      : "new enough, but a signal that comes within a call to a bus may make it come twice before 5.19"
    return Finding(
      standing: isGood ? .good : .absent, subject: "kernel",
      detail: "Linux \(release): \(isGood ? "new enough for everything" : lack)")
  }

  /// What a user who may not use a node can do.
  ///
  /// - Parameters:
  ///   - mode: the permissions of the node.
  ///   - group: the name of its group, if it has one.
  ///   - isListed: whether the system's list of groups has the user in it.
  /// - Returns: what is wrong, and what to do.
  static func remedy(mode: mode_t, group: String?, isListed: Bool) -> String {
    guard let group, mode & 0o060 == 0o060 else {
      return "not accessible to this user, nor to a group; a rule of udev can give it to one: "
        + "SUBSYSTEM==\"i2c-dev\", GROUP=\"i2c\", MODE=\"0660\""
    }
    return isListed
      ? "not accessible to this user yet; the group \(group) has access, and counts from the next login on"
      : "not accessible to this user; the group \(group) has access: usermod -aG \(group) USER, "
        + "then log in again"
  }

  /// What a user who may not use a node can do, by the node itself.
  static func remedy(_ status: stat) -> String {
    let entry = getgrgid(status.st_gid)
    let name = entry.map { String(cString: $0.pointee.gr_name) }
    var isListed = false
    if let user = getpwuid(geteuid()).map({ String(cString: $0.pointee.pw_name) }) {
      var members = entry?.pointee.gr_mem
      while let member = members?.pointee, !isListed {
        isListed = String(cString: member) == user
        members = members?.advanced(by: 1)
      }
    }
    return remedy(mode: status.st_mode, group: name, isListed: isListed)
  }

  /// Why there is no node.
  ///
  /// - Parameter devices: the folder where the kernel names its adapters: i2c-0, i2c-1, ...
  /// - Returns: what is wrong, and what to do.
  static func absence(devices: String = "/sys/bus/i2c/devices") -> String {
    var names: [String] = []
    if let folder = opendir(devices) {
      defer { closedir(folder) }
      while let entry = readdir(folder) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) {
          String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name.hasPrefix("i2c-"), Int(name.dropFirst(4)) != nil { names.append(name) }
      }
    }
    return names.isEmpty
      ? "no /dev/i2c-N here; rigs do not need one"
      : "no /dev/i2c-N here, but the kernel has \(names.inOrder().joined(separator: ", ")): "
        + "modprobe i2c-dev shows them"
  }
}

extension Finding {
  /// Creates what was found of something that works unless there is a problem.
  init(subject: String, problem: String?, good: String) {
    self.init(
      standing: problem == nil ? .good : .absent, subject: subject, detail: problem ?? good)
  }
}
