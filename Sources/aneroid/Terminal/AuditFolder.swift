import Audit
import Files

/// The folder for the rigs and traces of an audit: the user's, or one that goes when it is over.
struct AuditFolder {
  let path: String
  private let scratch: ScratchFolder?

  init(_ wanted: String?, for scenarios: [Scenario]) throws(Failure) {
    if let wanted { try Scenario.check(scenarios, in: wanted) }
    scratch = wanted == nil ? try ScratchFolder() : nil
    path = wanted ?? scratch?.path ?? ""
    try Folder.make(path)
  }

  func remove() {
    scratch?.remove()
  }
}
