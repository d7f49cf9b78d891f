import Bench
import Chips
package import Glibc
import I2C
import Interposer
import LinuxI2C
import Parts
package import Support
package import VirtualI2C

/// Checks whether this machine supports a bench.
package enum Doctor {
  /// The result of a check.
  enum Standing: String {
    /// The feature works.
    case good = "ok"
    /// The feature is not available, which matters only to users who need it.
    case absent = "--"
    /// The feature should work but does not.
    case broken = "FAIL"

    fileprivate var severity: Finding.Severity {
      switch self {
      case .good: .passed
      case .absent: .skipped
      case .broken: .error
      }
    }
  }

  /// Checks this machine or one of its buses.
  ///
  /// - Parameter bus: the bus; `nil` for the machine.
  /// - Returns: the findings, in the order of the checks.
  package static func inspection(_ bus: String?) -> Inspection {
    Inspection(
      "aneroid doctor", of: bus ?? "",
      nouns: Inspection.Nouns(rule: "subject", message: "found", defect: "should work and do not"),
      bus.map { examine(BusReference($0)) } ?? examine())
  }

  /// Runs all checks of the machine.
  package static func examine() -> [Finding] {
    selfTests() + [interposition()] + machine() + adapters()
  }

  /// The self-tests of the components.
  private static func selfTests() -> [Finding] {
    Catalogue.models.flatMap { $0.selfTests() }.map {
      Finding(standing: $0.isPassed ? .good : .broken, subject: $0.subject, detail: $0.detail)
    }
  }

  /// Checks whether `aneroid exec` works.
  private static func interposition() -> Finding {
    Finding(
      subject: "/dev/i2c-N for other programs", problem: Availability.problem(),
      good: "aneroid exec works here")
  }

  /// Checks the real adapters of this machine.
  private static func adapters() -> [Finding] {
    let nodes = LinuxI2CNode.all()
    guard !nodes.isEmpty else {
      return [Finding(standing: .absent, subject: "real adapters", detail: absence())]
    }
    return nodes.map { adapter($0.path, name: $0.name) }
  }

  /// Checks the device node of an adapter.
  package static func adapter(_ path: String, name: String?) -> Finding {
    let subject = path + (name.map { ", \($0)" } ?? "")
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFCHR {
      return Finding(
        standing: .broken, subject: subject,
        detail: "not a device node: a program left another file at this path; remove it")
    }
    let isUsable = access(path, R_OK | W_OK) == 0
    return Finding(
      standing: isUsable ? .good : .absent, subject: subject,
      detail: isUsable ? "readable and writable" : remedy(status))
  }
}

extension Finding {
  init(standing: Doctor.Standing, subject: String, detail: String) {
    self.init(standing.severity, subject, detail)
    word = standing.rawValue
  }
}

/// Checks of kernel features for `aneroid exec`.
extension Doctor {
  /// Checks the kernel and optional features.
  package static func machine() -> [Finding] {
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
        good: "virtual time works"),
    ]
  }

  /// Checks the kernel version.
  ///
  /// - Parameter release: the release from `uname -r`, for example "6.1.0-rpi7-rpi-v8".
  /// - Returns: a finding that names the features for which the kernel is too old.
  package static func kernel(_ release: String) -> Finding {
    let parts = release.split(separator: ".", maxSplits: 2)
    let numbers = parts.prefix(2).compactMap { Int($0.prefix { $0.isNumber }) }
    guard numbers.count == 2 else {
      return Finding(
        standing: .absent, subject: "kernel", detail: "Linux \(release): unknown version"
      )
    }
    let version = (numbers[0], numbers[1])
    let isGood = version >= (5, 19)
    let lack =
      version < (5, 9)
      ? "aneroid exec, audit and pytest require 5.9 or newer; everything else works"
      : "new enough, but before 5.19 a signal during a transfer may repeat the transfer"
    return Finding(
      standing: isGood ? .good : .absent, subject: "kernel",
      detail: "Linux \(release): \(isGood ? "new enough for everything" : lack)")
  }

  /// Suggests how to get access to a device node.
  ///
  /// - Parameters:
  ///   - mode: the permissions of the node.
  ///   - group: the name of its group, if any.
  ///   - isListed: `true` if the user is a member of the group in the system's database.
  /// - Returns: the problem and the remedy.
  package static func remedy(mode: mode_t, group: String?, isListed: Bool) -> String {
    guard let group, mode & 0o060 == 0o060 else {
      return "not accessible to this user or any group; use a udev rule to give a group access: "
        + "SUBSYSTEM==\"i2c-dev\", GROUP=\"i2c\", MODE=\"0660\""
    }
    return isListed
      ? "not accessible to this user yet; membership in the group \(group) takes effect at the next login"
      : "not accessible to this user; the group \(group) has access: usermod -aG \(group) USER, "
        + "then log in again"
  }

  /// Suggests how to get access to the device node whose `stat` result is given.
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

  /// Explains why there is no device node.
  ///
  /// - Parameter devices: the folder with the kernel's adapters: i2c-0, i2c-1, ...
  /// - Returns: the problem and the remedy.
  package static func absence(devices: String = "/sys/bus/i2c/devices") -> String {
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
      ? "no /dev/i2c-N on this machine; rigs do not require one"
      : "no /dev/i2c-N on this machine, but the kernel has \(names.inOrder().joined(separator: ", ")): "
        + "run modprobe i2c-dev"
  }
}

extension Finding {
  /// Creates a finding: good, with the text `good`, if there is no problem; otherwise absent, with
  /// the text `problem`.
  init(subject: String, problem: String?, good: String) {
    self.init(
      standing: problem == nil ? .good : .absent, subject: subject, detail: problem ?? good)
  }
}

extension Personality {
  /// The documentation page about the adapter personalities, in Markdown.
  package static var page: String {
    var lines = [
      "# Personalities of adapters",
      "",
      "The functionality, limits and errno values of common adapters, as programs see them.",
      "",
      "## Overview",
      "",
      "Printed by `aneroid doctor --personalities`. Select one by name, `adapter: {personality: cp2112}`;",
      "other keys of the adapter override it. Values whose source is general knowledge have not been verified.",
      "",
    ]
    lines +=
      MarkdownTable(
        [
          "name", "adapter", "NACK of address, of data", "arbitration, timeout", "limits",
          "longest stretch",
        ], all.map(\.row)
      ).lines
    lines += ["", "### Sources", ""]
    lines += all.map { "- `\($0.name)`: \($0.source)" }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The description of this adapter personality as text, one line per property.
  package var paragraph: String {
    let names = [
      "adapter", "NACK of address, of data", "arbitration, timeout", "limits", "longest stretch",
    ]
    return
      (["\(name)"] + zip(names, row.dropFirst()).map { "  \($0.0): \($0.1)" }
      + ["  source: \(source)", "  in a rig: adapter: {personality: \(name)}"])
      .joined(separator: "\n") + "\n"
  }

  private var row: [String] {
    let errno = errnoPolicy
    return [
      "`\(name)`", "\(summary)",
      "\(Self.name(errno.addressNack)), \(Self.name(errno.dataNack))",
      "\(Self.name(errno.arbitrationLost)), \(Self.name(errno.timeOut))", limits,
      "\(Double(stretchLimit) / 1e6) ms",
    ]
  }

  private static func name(_ errno: I2CErrno) -> String {
    errno.name.map { "\($0)" } ?? "\(errno.rawValue)"
  }

  private var limits: String {
    let figures = [
      ("read", quirks.maxReadLength), ("write", quirks.maxWriteLength),
      ("messages", quirks.maxMessages), ("write before a read", quirks.maxCombinedWriteLength),
      ("read after a write", quirks.maxCombinedReadLength),
    ]
    let known = figures.filter { $0.1 > 0 }.map { "\($0.0) \($0.1)" }
    let all = known + (quirks.noZeroLength ? ["no empty messages"] : [])
    return all.isEmpty ? "none" : all.joined(separator: ", ")
  }
}
