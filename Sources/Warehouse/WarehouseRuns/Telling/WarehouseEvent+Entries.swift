import Text
import Warehouse

extension WarehouseEvent {
  /// An entry of the log, with the names that people know; `nil` where nobody needs to be told.
  ///
  /// - Parameters:
  ///   - entry: what happened.
  ///   - book: the alarms behind it.
  ///   - names: what each tag is called, by its address.
  ///   - start: the start of the run, in nanoseconds since 1970.
  init?(_ entry: AlarmEntry, _ book: AlarmBook, names: [String: String], start: Int64) {
    func name(_ tag: String) -> String { names[tag] ?? tag }
    func alarm(_ number: UInt64) -> String {
      let alarm = book.all(number)
      let key = alarm.map {
        "\(name($0.key.tag)) \($0.key.cause.rawValue) \($0.key.level.rawValue)"
      }
      return "#\(number) \(key ?? "")"
    }
    func note(_ text: String) -> String { text.isEmpty ? "" : " " + text }
    let line: String
    switch entry.happening {
    case .breach, .breachOver, .worse: return nil
    case .heldBack(let key):
      line = "held back by the silence: \(name(key.tag)) \(key.cause.rawValue)"
    case .raised(let raising):
      line =
        "RAISED \(alarm(raising.number)): \(Decimal.fixed(raising.peak, 1)) beyond "
        + "\(Decimal.shortest(raising.rule.limit)) since "
        + Decimal.elapsed(UInt64(max(raising.began - start, 0)))
    case .again(let number, _, let value):
      line = "AGAIN \(alarm(number)): \(Decimal.fixed(value, 1))"
    case .returned(let number): line = "over \(alarm(number))"
    case .told(let number, let name): line = "told \(name) of \(alarm(number))"
    case .acknowledged(let number, let receipt):
      line = "acknowledged by \(receipt.name): \(alarm(number))" + note(receipt.note)
    case .expired(let number): line = "acknowledgement expired \(alarm(number))"
    case .closed(let number, let receipt):
      line =
        "closed\(receipt.map { " by \($0.name)" } ?? "") \(alarm(number))"
        + note(receipt?.note ?? "")
    case .silenced(let silence):
      line = "silenced by \(silence.name): \(silence.zone)" + note(silence.note)
    case .silenceOver(let zone, _): line = "no longer silenced: \(zone)"
    case .clockStepped(let step):
      line = "clock stepped by \(Decimal.fixed(Double(step) / 1e9, 3)) s"
    }
    self.init(
      kind: .alarm, time: entry.time - start, fields: [("entry", .object(entry.members))],
      line: line)
  }
}

extension AlarmBook {
  /// The alarm with a number, open or closed.
  func all(_ number: UInt64) -> ZoneAlarm? { open[number] ?? closed.last { $0.number == number } }
}
