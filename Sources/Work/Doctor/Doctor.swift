import Bench
import Chips
package import Findings
import Glibc
import I2C
import Interposer
import LinuxI2C
import Parts

/// What this machine can do for a bench.
package enum Doctor {
  /// What a finding means for the user.
  enum Standing: String {
    /// It works.
    case good = "ok"
    /// It is not there, which only matters to those who need it.
    case absent = "--"
    /// It should work and does not.
    case broken = "FAIL"

    fileprivate var severity: Finding.Severity {
      switch self {
      case .good: .passed
      case .absent: .skipped
      case .broken: .error
      }
    }
  }

  /// What was found on this machine, or on one of its buses, for all writers.
  ///
  /// - Parameter bus: the bus; the machine where there is none.
  /// - Returns: the findings, in the order in which was looked.
  package static func inspection(_ bus: String?) -> Inspection {
    Inspection(
      "aneroid doctor", of: bus ?? "",
      nouns: Inspection.Nouns(rule: "subject", message: "found", defect: "should work and do not"),
      bus.map { examine(BusReference($0)) } ?? examine())
  }

  /// Looks at everything.
  package static func examine() -> [Finding] {
    selfTests() + [interposition()] + machine() + adapters()
  }

  /// What each part finds when it tries itself.
  private static func selfTests() -> [Finding] {
    Catalogue.models.flatMap { $0.selfTests() }.map {
      Finding(standing: $0.isPassed ? .good : .broken, subject: $0.subject, detail: $0.detail)
    }
  }

  /// Whether `aneroid exec` works here.
  private static func interposition() -> Finding {
    Finding(
      subject: "/dev/i2c-N for other programs", problem: Availability.problem(),
      good: "aneroid exec works here")
  }

  /// The real adapters of this machine.
  private static func adapters() -> [Finding] {
    let nodes = LinuxI2CNode.all()
    guard !nodes.isEmpty else {
      return [Finding(standing: .absent, subject: "real adapters", detail: absence())]
    }
    return nodes.map { adapter($0.path, name: $0.name) }
  }

  /// What stands at the path of an adapter's node.
  static func adapter(_ path: String, name: String?) -> Finding {
    let subject = path + (name.map { ", \($0)" } ?? "")
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFCHR {
      return Finding(
        standing: .broken, subject: subject,
        detail: "no device: something else stands at its path, left by a program; remove it")
    }
    let isUsable = access(path, R_OK | W_OK) == 0
    return Finding(
      standing: isUsable ? .good : .absent, subject: subject,
      detail: isUsable ? "readable and writable" : remedy(status))
  }
}

extension Finding {
  /// Creates what was found of a subject, and what to do about it.
  init(standing: Doctor.Standing, subject: String, detail: String) {
    self.init(standing.severity, subject, detail)
    word = standing.rawValue
  }
}
