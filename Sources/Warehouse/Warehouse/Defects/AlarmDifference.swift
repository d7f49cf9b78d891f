/// How the alarms of two ways to see the same air differ: which are false, and which are missed.
public struct AlarmDifference: Hashable, Sendable {
  /// Alarms that only the judged way raised.
  public private(set) var falseAlarms: [ZoneAlarm] = []
  /// Alarms that only the right way raised.
  public private(set) var missed: [ZoneAlarm] = []
  /// How many of the right ones the judged way raised too.
  public private(set) var shared = 0

  /// Compares: two alarms are one where they are about the same and their breaches overlap in time.
  ///
  /// - Parameters:
  ///   - judged: the alarms of the way that is judged.
  ///   - right: those of the right way.
  ///   - end: the end of the record, in nanoseconds since 1970: what lasts, lasts until then.
  public init(of judged: [ZoneAlarm], to right: [ZoneAlarm], end: Int64) {
    let rights = Dictionary(grouping: right, by: \.key)
    let judgeds = Dictionary(grouping: judged, by: \.key)
    func overlaps(_ one: ZoneAlarm, _ other: ZoneAlarm) -> Bool {
      one.began <= other.returned ?? end && other.began <= one.returned ?? end
    }
    falseAlarms = judged.filter { alarm in
      !rights[alarm.key, default: []].contains { overlaps($0, alarm) }
    }
    for alarm in right {
      if judgeds[alarm.key, default: []].contains(where: { overlaps($0, alarm) }) {
        shared += 1
      } else {
        missed.append(alarm)
      }
    }
  }
}
