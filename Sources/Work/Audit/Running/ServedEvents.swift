import Files
import Runs
import Text

/// What `aneroid exec` told of a program that it ran, as events.
struct ServedEvents {
  /// As often as there are transfers: it need not all happen.
  private static let endless = 1_000_000

  /// Whether every planned failure happened as often as planned.
  private(set) var haveFaultsFired = true
  /// What is said of the program's time where some of it is the machine's.
  private(set) var machineTime: String?
  /// Why firmware could not go on, or where it was when nothing more was to come of it.
  private(set) var reason: String?
  /// Why the program was not run.
  private(set) var failure: AuditError?

  /// Reads the events in a file; there are none where there is no file.
  init(file path: String) {
    self.init(((try? TextFile.bytes(path)) ?? []).split(separator: 0x0A))
  }

  /// Takes events, a line each.
  init(_ lines: some Sequence<some Sequence<UInt8>>) {
    for line in lines {
      guard let event = JSONValue(reading: Array(line)), let name = event["event"]?.text,
        let kind = RunEvent.Kind(rawValue: name)
      else { continue }
      take(event, of: kind)
    }
  }

  private mutating func take(_ event: JSONValue, of kind: RunEvent.Kind) {
    switch kind {
    case .fault: if !Self.hasFired(event) { haveFaultsFired = false }
    case .notice:
      if event["subject"]?.text == RunEvent.Notice.Subject.machineTime.rawValue {
        machineTime = machineTime ?? event["text"]?.text
      }
    case .end: reason = event["reason"]?.text
    case .failure: failure = Self.failure(event) ?? failure
    default: break
    }
  }

  private static func hasFired(_ event: JSONValue) -> Bool {
    let planned = event["planned"]?.whole() ?? endless
    return event[planned < endless ? "complete" : "fired"]?.boolean == true
  }

  private static func failure(_ event: JSONValue) -> AuditError? {
    guard let status = event["status"]?.whole(Int.self).map(Int32.init(clamping:)),
      let messages = event["messages"]?.array?.map(\.text), !messages.contains(nil)
    else { return nil }
    return Failure.Kind(rawValue: status).map { .bench(Failure($0, messages.compactMap(\.self))) }
      ?? .program(status, messages.compactMap(\.self))
  }
}
