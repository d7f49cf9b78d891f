import Audit
import Files

/// The folder for the rigs and traces of an audit: the user's, or one that goes when it is over.
struct AuditFolder {
  let path: String
  private let isTemporary: Bool

  init(_ wanted: String?, for scenarios: [Scenario]) throws(Failure) {
    if let wanted { try Scenario.check(scenarios, in: wanted) }
    isTemporary = wanted == nil
    path = wanted ?? Folder.temporaryPath("aneroid-audit")
    try Folder.make(path)
  }

  func remove() {
    if isTemporary { Folder.remove(path) }
  }
}
