import Audit
import Files
import Foundation

/// The folder for the rigs and traces of an audit: the user's, or one that goes when it is over.
struct AuditFolder {
  let path: String
  private let isTemporary: Bool

  init(_ wanted: String?, for scenarios: [Scenario]) throws(Failure) {
    if let wanted { try Scenario.check(scenarios, in: wanted) }
    isTemporary = wanted == nil
    path =
      wanted
      ?? FileManager.default.temporaryDirectory.appending(
        path: "aneroid-audit-\(UUID().uuidString)"
      ).path
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw Failure(.inputOutput, "\(path): \(error.localizedDescription)")
    }
  }

  func remove() {
    if isTemporary { try? FileManager.default.removeItem(atPath: path) }
  }
}
