import Quantities
import Support
import Warehouse

/// Evaluates the expectations of a warehouse run.
struct WarehouseJudge {
  /// The result of an expectation.
  struct Answer {
    let title: String
    let passed: Bool
    let detail: String
  }

  let rig: WarehouseRig
  let record: RunRecord

  init(_ rig: WarehouseRig, _ record: RunRecord) { (self.rig, self.record) = (rig, record) }

  /// The results of the expectations, in the order in which the rig lists them.
  var findings: [Answer] { rig.expectations.map(answer) }

  private func answer(_ expectation: WarehouseExpectation) -> Answer {
    switch expectation {
    case .alarm(let wanted): return alarm(wanted)
    case .alarms(let count, let cause):
      let found = record.alarmState.all.filter { cause == nil || $0.key.cause == cause }
      return equal(
        "\("alarm".counted(count))\(cause.map { " of \($0.rawValue)" } ?? " in all")", found.count,
        count)
    case .heldBack(let count): return equal("\(count) held back", record.heldBack, count)
    case .delivery(let isOnce):
      return Answer(
        title: isOnce
          ? "every record on the hub's disk arrived exactly once, duplicates dropped"
          : "a record on the hub's disk never arrived",
        passed: record.isExact == isOnce && record.written > 0, detail: record.account)
    case .readings(let least):
      return Answer(
        title: "at least \("reading".counted(least))", passed: record.written >= least,
        detail: "\(record.written)")
    case .article(let falseAlarms, let missed):
      let found = (record.difference?.falseAlarms.count ?? 0, record.difference?.missed.count ?? 0)
      return Answer(
        title: "the article's formula: \(falseAlarms) false, \(missed) missed",
        passed: found == (falseAlarms, missed), detail: "\(found.0) false, \(found.1) missed")
    case .hears(let tags, let until, let within): return hears(tags, until, within)
    case .copies(let value, let taken):
      return Answer(
        title: "the article copies \("byte".counted(taken)) of a value of \(value)",
        passed: (record.published.value, record.published.copied) == (value, taken),
        detail: "\(record.published.copied) of \(record.published.value), "
          + "\(record.published.beyond) past the end of values in all")
    case .trips(let tag, let limit, let right, let within):
      return trips(tag, limit, right, within)
    case .shown(let tag, let time, let right, let shown): return self.shown(tag, time, right, shown)
    case .storage(let zone, let isKept): return storage(zone, isKept)
    case .kineticMean(let tag, let celsius, let within):
      let mean = record.means[tag].mean.celsius
      return Answer(
        title: "mean kinetic temperature of \(name(tag)) \(Decimal.shortest(celsius)) C",
        passed: mean.map { abs($0 - celsius) <= within } ?? false,
        detail: mean.map { Decimal.fixed($0, 3) + " C" } ?? "no measurement")
    case .monitor(let reason, let tagName): return monitor(reason, tagName)
    }
  }

  private func name(_ tag: Int) -> String { rig.tags[tag].expected.name }

  private func equal(_ title: String, _ found: Int, _ wanted: Int) -> Answer {
    Answer(title: title, passed: found == wanted, detail: "\(found)")
  }

  func elapsed(_ time: Int64) -> String { Decimal.elapsed(UInt64(max(time, 0))) }

  private func alarm(_ wanted: WarehouseExpectation.Wanted) -> Answer {
    let title =
      "\(wanted.tagName) \(wanted.key.cause.rawValue) \(wanted.key.level.rawValue) at "
      + elapsed(wanted.raised)
    let alike = record.alarmState.all.filter { $0.key == wanted.key }
    let nearest = alike.min {
      abs($0.raised - rig.start - wanted.raised) < abs($1.raised - rig.start - wanted.raised)
    }
    guard let alarm = nearest else { return Answer(title: title, passed: false, detail: "never") }
    var wrong: [String] = []
    let raised = alarm.raised - rig.start
    if abs(raised - wanted.raised) > wanted.within { wrong.append("raised at \(elapsed(raised))") }
    if let lasts = wanted.lasts, abs((alarm.duration ?? .max) - lasts) > wanted.within {
      wrong.append(alarm.duration.map { "lasted \(elapsed($0))" } ?? "still active")
    }
    let notifications = alarm.notifications.map(\.name)
    if let people = wanted.notifications, people != notifications {
      wrong.append("notified \(notifications)")
    }
    if let phase = wanted.phase, phase != alarm.phase {
      wrong.append("is \(alarm.phase.rawValue)")
    }
    return Answer(
      title: title, passed: wrong.isEmpty,
      detail: wrong.isEmpty
        ? "#\(alarm.number), peak \(Decimal.fixed(alarm.peak, 1))" : wrong.joined(separator: ", "))
  }

  private func shown(_ tag: Int, _ time: Int64, _ right: Double, _ shown: Double) -> Answer {
    let title =
      "the article shows \(Decimal.shortest(shown)) % at \(name(tag)) where "
      + "\(Decimal.shortest(right)) % is true"
    guard let last = record.shown.last(where: { $0.tag == tag && $0.time <= time }) else {
      return Answer(title: title, passed: false, detail: "no reading")
    }
    return Answer(
      title: title, passed: abs(last.right - right) <= 0.1 && abs(last.shown - shown) <= 0.1,
      detail: "\(Decimal.fixed(last.shown, 2)) % and \(Decimal.fixed(last.right, 2)) %")
  }

  /// Evaluates an expectation about the true humidity at which a published article's faulty code
  /// raises its alarm: the midpoint of the true humidities of two successive readings, of which the
  /// code displays the first within the limit and the second beyond it.
  private func trips(_ tag: Int, _ limit: Double, _ right: Double, _ within: Double) -> Answer {
    let title =
      "the article's alarm at \(Decimal.shortest(limit)) % at \(name(tag)) trips at a true "
      + "\(Decimal.shortest(right)) %"
    let values = record.shown.filter { $0.tag == tag }
    guard let index = values.firstIndex(where: { $0.shown > limit }), index > 0 else {
      return Answer(title: title, passed: false, detail: "never, or from the start")
    }
    let found = (values[index - 1].right + values[index].right) / 2
    return Answer(
      title: title, passed: abs(found - right) <= within,
      detail: "\(Decimal.fixed(found, 2)) %, shown as "
        + "\(Decimal.fixed((values[index - 1].shown + values[index].shown) / 2, 2)) %")
  }

  private func storage(_ zone: String, _ isKept: Bool) -> Answer {
    let title = "the storage rule of \(zone) is \(isKept ? "" : "not ")complied with"
    let records = zip(rig.tags, record.storage).filter { $0.0.expected.zone == zone }.compactMap(
      \.1)
    let kept = records.map { $0.isKept ?? false }
    guard !records.isEmpty else {
      return Answer(title: title, passed: false, detail: "no measurement")
    }
    let excursions = records.flatMap(\.excursions)
    let worst = excursions.map { Decimal.fixed($0.worst, 1) }.prefix(3).joined(separator: ", ")
    return Answer(
      title: title, passed: kept.allSatisfy { $0 } == isKept,
      detail: "\("excursion".counted(excursions.count)) \(worst)")
  }

  private func monitor(_ reason: MappingStudy.Reason, _ tagName: String) -> Answer {
    let location = record.study?.monitors.first { $0.reasons.contains(reason) }?.location
    return Answer(
      title: "the \(reason.rawValue) location is \(tagName)", passed: location == tagName,
      detail: location ?? "none")
  }
}

extension WarehouseJudge {
  /// Evaluates an expectation about a published article's faulty code: the number of tags from
  /// which it would have received readings, and the time of the last reading.
  func hears(_ tags: Int, _ until: Int64?, _ within: Int64) -> Answer {
    let published = record.published
    let last = published.last ?? 0
    return Answer(
      title: "the article receives \(tags) of \("tag".counted(rig.tags.count))"
        + (until.map { " until \(elapsed($0))" } ?? ""),
      passed: published.tags.count == tags && (until.map { abs($0 - last) <= within } ?? true),
      detail: "\(published.tags.count), the last at \(elapsed(last))")
  }
}

extension WarehouseJudge {
  /// Reports the delivery summary, the result of each expectation, and the overall result.
  ///
  /// - Parameter say: The function that receives each event: its kind, its fields, and its line of
  ///   text.
  /// - Returns: `true` if all expectations were met.
  func report(
    _ say: (WarehouseEvent.Kind, [(key: String, value: JSONValue)], String) -> Void
  ) -> Bool {
    record.summary(say)
    let findings = findings
    for finding in findings {
      say(
        .expectation,
        [
          ("expectation", .string(finding.title)), ("passed", .bool(finding.passed)),
          ("detail", .string(finding.detail)),
        ], "\(finding.passed ? "met" : "NOT MET")  \(finding.title): \(finding.detail)")
    }
    let failed = findings.count { !$0.passed }
    say(
      .verdict,
      [
        ("passed", .bool(failed == 0)), ("expectations", .integer(findings.count)),
        ("failed", .integer(failed)),
      ],
      failed == 0
        ? "all \("expectation".counted(findings.count)) met"
        : "\("expectation".counted(failed)) not met")
    return failed == 0
  }
}
