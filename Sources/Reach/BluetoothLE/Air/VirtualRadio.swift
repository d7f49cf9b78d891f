/// What a radio can, and how strongly it sends.
public struct BLECapabilities: Hashable, Sendable {
  /// How many connections it holds at most; dongles hold few.
  public var maximumConnections = 7
  /// The longest message that it takes, ATT_MTU.
  public var maximumMTU = 247
  /// The power with which it sends, in dBm.
  public var power = 0.0

  /// Creates the usual ones.
  public init(maximumConnections: Int = 7, maximumMTU: Int = 247, power: Double = 0) {
    self.maximumConnections = maximumConnections
    self.maximumMTU = maximumMTU
    self.power = power
  }
}

/// A radio in the air of this process.
public final class VirtualRadio: BLERadio {
  /// Who it is.
  public let address: BLEAddress
  /// What it can.
  public let capabilities: BLECapabilities
  /// Is given each event as it happens; where it is `nil` events wait for ``next(by:)``.
  public var handler: ((BLEEvent) -> Void)?
  /// Where it is; connections that are out of reach end when their time is over.
  public var place: BLEPlace { didSet { if end == nil { air.reachChanged(of: self) } } }
  /// Whether it has power; without it is silent, and forgets its scan, its advertising and its connections.
  public var isOn = true { didSet { if isOn != oldValue, end == nil { switched() } } }

  /// Its air, which is there until ``end`` is told.
  unowned let air: BLEAir
  /// When the air ended; `nil` while it is there.
  private var end: UInt64?
  private var inbox: [BLEEvent] = []
  private var read = 0
  private var commands = 0
  private var connections = 0

  // The central's part.
  var scan: (isActive: Bool, number: Int)?
  var initiations: [Initiation] = []
  // The peripheral's part.
  var services: [GATTService] = []
  var places: [CharacteristicPlace] = []
  var advertising: (settings: BLEAdvertising, start: UInt64, number: Int)?
  var isAdvertisingPlanned = false
  var requests: [Int: (link: AirLink, command: Int)] = [:]
  private var requestCount = 0
  // Both.
  var links: [Int: AirLink] = [:]

  /// A connection that is wanted.
  struct Initiation {
    let command: Int
    let peer: BLEAddress
    let timeOut: UInt64
  }

  /// Where a characteristic lies in the table that is served.
  struct CharacteristicPlace {
    let service: Int, characteristic: Int
  }

  init(
    _ address: BLEAddress, in air: BLEAir, at place: BLEPlace, _ capabilities: BLECapabilities
  ) {
    self.address = address
    self.air = air
    self.place = place
    self.capabilities = capabilities
  }

  /// The time of its air, in nanoseconds.
  public var nanoseconds: UInt64 { end ?? air.nanoseconds }

  /// Tells it what to do.
  @discardableResult
  public func send(_ command: BLECommand) -> Int {
    commands += 1
    let number = commands
    // Nobody is left to answer: the radio has told that it is gone.
    guard end == nil else { return number }
    air.schedule(at: air.nanoseconds) { [unowned self] in perform(command, number) }
    return number
  }

  /// The next event; the air moves until it comes, or until the time.
  public func next(by time: UInt64) -> BLEEvent? {
    let time = max(time, nanoseconds)
    while read == inbox.count {
      guard end == nil else { return nil }
      guard air.step(by: time) else {
        air.advance(to: time)
        return nil
      }
    }
    defer {
      read += 1
      if read == inbox.count {
        inbox.removeAll(keepingCapacity: true)
        read = 0
      }
    }
    return inbox[read]
  }

  /// The air ends: connections and radios no longer hold each other.
  ///
  /// Who waits for events finds that it is gone; a handler is not called, as whom it is for may be gone as well.
  func endsWithAir(at time: UInt64) {
    end = time
    (links, requests) = ([:], [:])
    inbox.append(BLEEvent(at: time, .gone("its air is gone")))
  }

  /// Tells an event.
  func tell(_ kind: BLEEvent.Kind) {
    let event = BLEEvent(at: nanoseconds, kind)
    if let handler { handler(event) } else { inbox.append(event) }
  }

  func done(_ command: Int, _ result: BLEResult = .nothing) {
    tell(.done(command: command, result))
  }

  func failed(_ command: Int, _ error: BLEError) { tell(.failed(command: command, error)) }

  /// A number for a new connection.
  func newConnection() -> Int {
    connections += 1
    return connections
  }

  /// A number for a request, which waits for its response.
  func newRequest(of link: AirLink, _ command: Int) -> Int {
    requestCount += 1
    requests[requestCount] = (link, command)
    return requestCount
  }

  /// It has lost its power, or got it again.
  private func switched() {
    if !isOn {
      scan = nil
      air.scanners.removeAll { $0 === self }
      advertising = nil
      initiations = []
      requests = [:]
      services = []
      places = []
    }
    air.reachChanged(of: self)
    guard !isOn else { return }
    // Its own side knows nothing of a connection any more; the other has to find out.
    for link in links.values { link.forget(self) }
    links = [:]
  }
}
