import Files
import Foundation
import Runs

/// What `aneroid exec` told of a program that it ran, as events.
struct ServedEvents {
  /// As often as there are transfers: it need not all happen.
  private static let endless = 1_000_000

  /// Whether every planned failure happened as often as planned.
  private(set) var haveFaultsFired = true
  /// What is said of the program's time where some of it is the machine's.
  private(set) var machineTime: String?
  /// Why the program was not run.
  private(set) var failure: AuditFailure?

  /// Reads the events in a file; there are none where there is no file.
  init(file path: String) {
    self.init(((try? TextFile.bytes(path)) ?? []).split(separator: 0x0A))
  }

  /// Takes events, a line each.
  init(_ lines: some Sequence<some Sequence<UInt8>>) {
    for line in lines {
      let value = try? JSONSerialization.jsonObject(with: Data(line))
      guard let event = value as? [String: Any], let name = event["event"] as? String,
        let kind = RunEvent.Kind(rawValue: name)
      else { continue }
      take(event, of: kind)
    }
  }

  private mutating func take(_ event: [String: Any], of kind: RunEvent.Kind) {
    switch kind {
    case .fault: if !Self.hasFired(event) { haveFaultsFired = false }
    case .notice:
      if event["subject"] as? String == RunEvent.Notice.Subject.machineTime.rawValue {
        machineTime = machineTime ?? event["text"] as? String
      }
    case .failure: failure = Self.failure(event) ?? failure
    default: break
    }
  }

  private static func hasFired(_ event: [String: Any]) -> Bool {
    let planned = event["planned"] as? Int ?? endless
    return event[planned < endless ? "complete" : "fired"] as? Bool == true
  }

  private static func failure(_ event: [String: Any]) -> AuditFailure? {
    guard let status = (event["status"] as? Int).map(Int32.init(clamping:)),
      let messages = event["messages"] as? [String]
    else { return nil }
    return Failure.Kind(rawValue: status).map { .bench(Failure($0, messages)) }
      ?? .program(status, messages)
  }
}
