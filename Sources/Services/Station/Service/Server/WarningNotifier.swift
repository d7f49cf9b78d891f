import Channels
import Forecasts
import Logging
import Readings
import ServiceLifecycle
import Support
import Synchronization
import Warehouse
import WarehouseRuns

/// Sends the weather warnings of the station's place over channels.
///
/// The store contains what each channel has announced, so neither a restart nor a failing server repeats or loses a
/// warning. Each attempt sends the present state, never an outdated one.
struct WarningNotifier: Service {
  private let core: StationCore
  private let forecasts: ForecastSource
  private let senders: [ChannelSender]
  private let logger: Logger
  private let now: @Sendable () -> Int
  private let failing = FailingChannels()
  /// The time zone of the station's place.
  private let zone: Zone
  private let start = ContinuousClock.now

  /// The time after the start for which warnings wait for the first correction of the forecast, which needs readings
  /// that are five minutes apart.
  private static let settling = Duration.seconds(600)

  /// Creates a notifier.
  ///
  /// - Parameters:
  ///   - core: The station.
  ///   - forecasts: The weather forecasts.
  ///   - senders: The channels.
  ///   - logger: Receives the failures of channels.
  ///   - now: The function that returns the wall-clock time in seconds since 1970.
  init(
    core: StationCore, forecasts: ForecastSource, senders: [ChannelSender], logger: Logger,
    now: @escaping @Sendable () -> Int
  ) {
    (self.core, self.forecasts, self.senders) = (core, forecasts, senders)
    (self.logger, self.now) = (logger, now)
    zone = TimeZones.system.zone(of: core.site.location)
  }

  /// Sends messages until the program ends.
  func run() async throws {
    await cancelWhenGracefulShutdown {
      await withDiscardingTaskGroup { group in
        for sender in senders {
          group.addTask {
            sender.channel.kind == .heartbeat ? await beat(sender) : await deliver(sender)
          }
        }
      }
    }
  }

  private func deliver(_ sender: ChannelSender) async {
    let name = sender.channel.name
    var pause = BackOff(longest: 60_000_000_000)
    var reported: [String: String] = [:]
    var unstored: [String: AnnouncedWarning]?
    var looked: (generation: Int, minute: Int, isCorrected: Bool, failing: [String: String])?
    while !Task.isCancelled {
      let time = now()
      let others = failing.all.filter { $0.key != name }
      let current = (forecasts.generation, time / 60, core.snapshot().correction != nil, others)
      let minute = CivilTime.modulo(time + zone.offset(at: time), 86400) / 60
      let isQuiet = sender.channel.quiet?.contains(minute: minute) ?? false
      var wait: Int64 = 1_000_000_000
      if !isQuiet, pause.failures > 0 || looked.map({ $0 != current }) ?? true {
        looked = current
        do {
          try await send(sender, at: time, others, &reported, &unstored)
          if failing.end(name) { logger.warning("the channel '\(name)' works again") }
          pause.succeed()
        } catch is CancellationError {
          return
        } catch {
          wait = pause.wait(chance: Double.random(in: 0..<1))
          if pause.failures == 3, failing.begin(name, "\(error)") {
            logger.warning("the channel '\(name)' fails: \(error); retrying")
          }
        }
      }
      try? await Task.sleep(for: .nanoseconds(wait))
    }
  }

  /// Sends what a channel has not announced yet, and stores that it has.
  ///
  /// What the store cannot take at the moment is remembered, so that a full disk repeats no message.
  private func send(
    _ sender: ChannelSender, at time: Int, _ others: [String: String],
    _ reported: inout [String: String], _ unstored: inout [String: AnnouncedWarning]?
  ) async throws {
    let channel = sender.channel
    let known = try unstored ?? core.store.announced(by: channel.name)
    var changes = WarningChanges(known: known, now: time, station: core.site.name, zone: zone)
    if let warnings = warnings(at: time) { changes.take(warnings, core.warnings) }
    for (name, reason) in others.sorted(by: { $0.key < $1.key }) where reported[name] == nil {
      changes.add("the channel '\(name)' fails", ["Reason: \(reason)"], .alarm)
    }
    for name in reported.keys.sorted() where others[name] == nil {
      changes.add("the channel '\(name)' works again", [], .information)
    }
    if !changes.events.isEmpty {
      let complaint = try await sender.send(
        NotificationMessage(
          changes.events, from: .station(core.site.name), link: channel.link))
      if let complaint { logger.warning("the channel '\(channel.name)': \(complaint)") }
    }
    reported = others
    guard changes.announced != known || unstored != nil else { return }
    do {
      try core.store.announce(changes.announced, by: channel.name)
      unstored = nil
    } catch  where StoreError.mayPass(error) {
      unstored = changes.announced
    }
  }

  /// Returns the warnings at the station; `nil` if no forecast covers the present, or while it may still be corrected
  /// for the first time.
  private func warnings(at time: Int) -> [Warnings]? {
    guard
      core.source.kind == "none" || core.snapshot().correction != nil
        || start.duration(to: .now) > Self.settling
    else { return nil }
    guard let forecast = (try? forecasts.forecast(at: core.site.location)) ?? nil,
      forecast.column(at: time) != nil
    else { return nil }
    let weather = Weather(
      forecast: forecast, correction: core.snapshot().correction, site: core.site)
    return Warnings.find(weather, from: time, core.warnings)
  }

  private func beat(_ sender: ChannelSender) async {
    while !Task.isCancelled {
      do { try await sender.beat() } catch is CancellationError { return } catch {
        logger.info("the channel '\(sender.channel.name)' fails: \(error)")
      }
      try? await Task.sleep(for: .seconds(sender.channel.every))
    }
  }
}

/// The channels that fail, with the reasons, for the others to report.
private final class FailingChannels: Sendable {
  private let reasons = Mutex<[String: String]>([:])

  var all: [String: String] { reasons.withLock { $0 } }

  /// Registers a failing channel; returns `false` if it is registered.
  func begin(_ name: String, _ reason: String) -> Bool {
    reasons.withLock { $0.updateValue(reason, forKey: name) == nil }
  }

  /// Removes a channel that works; returns `false` if it did not fail.
  func end(_ name: String) -> Bool { reasons.withLock { $0.removeValue(forKey: name) != nil } }
}

/// The difference between the warnings that a channel has announced and the present ones.
struct WarningChanges {
  /// The events to send.
  private(set) var events: [NotificationEvent] = []
  /// The warnings that are announced once the events are sent.
  private(set) var announced: [String: AnnouncedWarning]
  private let now: Int
  private let station: String
  private let zone: Zone

  /// Starts with what is announced; warnings whose time has passed are forgotten.
  init(known: [String: AnnouncedWarning], now: Int, station: String, zone: Zone) {
    announced = known.filter { $0.value.until >= now - 3600 }
    (self.now, self.station, self.zone) = (now, station, zone)
  }

  /// Takes the present warnings: new ones, worse ones and those that are no longer forecast become events.
  mutating func take(_ warnings: [Warnings], _ limits: WarningLimits) {
    for kind in Warnings.Kind.allCases {
      let spells = warnings.filter { $0.kind == kind }
      let limit = limits[kind]
      guard let limit, let first = spells.first, let last = spells.last else {
        // What another limit announced has not changed.
        if let known = announced.removeValue(forKey: kind.rawValue), known.limit == limit {
          add("\(kind.title) is no longer forecast for \(station)", [], .information, kind, "ended")
        }
        continue
      }
      let isLow = kind == .frost
      let worst = spells.map(\.value).reduce(first.value) { isLow ? min($0, $1) : max($0, $1) }
      let known = announced[kind.rawValue]
      let isNew = known.map { first.from > $0.until } ?? true
      let excess = known.map { isLow ? $0.value - worst : worst - $0.value } ?? 0
      let isWorse = !isNew && excess >= kind.margin
      if isNew || isWorse {
        let lines = spells.map { spell in
          "From \(self.time(spell.from)) to \(self.time(spell.to)) (\(zone.name)): "
            + kind.words(spell.value)
        }
        add(
          "\(kind.title)\(isWorse ? ", worse than announced," : "") at \(station): \(kind.words(worst))",
          lines, .warning, kind, isNew ? "begins" : "worse", spells)
      }
      announced[kind.rawValue] = AnnouncedWarning(
        until: max(last.to, known?.until ?? 0),
        value: isNew || isWorse ? worst : known?.value ?? worst, limit: limit)
    }
  }

  /// Adds an event.
  mutating func add(
    _ title: String, _ lines: [String], _ level: NotificationEvent.Level,
    _ kind: Warnings.Kind? = nil, _ change: String? = nil, _ spells: [Warnings] = []
  ) {
    let json = kind.map { kind in
      JSONValue.members([
        ("station", JSONValue.string(station)), ("time", .string(CivilTime.stamp(now))),
        ("kind", .string(kind.rawValue)), ("change", change.map(JSONValue.string)),
        ("warnings", .array(spells.map(\.json))),
      ]).compact
    }
    events.append(
      NotificationEvent(topic: nil, level: level, title: title, lines: lines, json: json ?? ""))
  }

  /// Returns a time at the station's place.
  private func time(_ seconds: Int) -> String {
    LocalTime.brief(Int64(seconds) * 1_000_000_000, offset: zone.offset(at: seconds))
  }
}

extension Warnings.Kind {
  /// The name of the weather.
  fileprivate var title: String {
    switch self {
    case .frost: "Frost"
    case .heat: "Heat"
    case .storm: "Storm"
    case .rain: "Heavy rain"
    }
  }

  /// The difference from the announced value from which the weather is worse.
  fileprivate var margin: Double {
    switch self {
    case .frost, .heat: 2
    case .storm: 5
    case .rain: 10
    }
  }

  /// Returns a value in words.
  fileprivate func words(_ value: Double) -> String {
    switch self {
    case .frost: "down to \(Decimal.rounded(value, 1)) °C"
    case .heat: "up to \(Decimal.rounded(value, 1)) °C"
    case .storm: "wind up to \(Decimal.rounded(value * 3.6, 0)) km/h"
    case .rain: "up to \(Decimal.rounded(value, 0)) mm in six hours"
    }
  }
}
