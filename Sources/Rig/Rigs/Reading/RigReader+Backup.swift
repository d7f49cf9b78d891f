import Files
import Findings
import Parts
import PlainHTTP
package import Schema

extension RigReader {
  /// What stands in for a sensor that is lost.
  package mutating func backup(_ value: CheckedValue?) -> BackupSource? {
    guard let value, value.isSound else { return nil }
    if let path = value["file"]?.text { return .file(document.named(path)) }
    guard let url = value["url"], let text = url.text else { return nil }
    do throws(Failure) {
      return .server(try HTTPAddress(text))
    } catch {
      checker.note(error.findings.first?.message ?? "no address", at: url.position)
      return nil
    }
  }
}
