public import I2C

/// A virtual multiplexer with eight channels, each a bus of its own: TCA9548A or PCA9548A.
///
/// One register selects the channels, bit n for channel n; it is written without a register address, and the last of
/// several bytes counts. A selection takes effect at the stop, so a transfer that selects a channel cannot reach a
/// target behind it. All selected channels are connected with the bus and with each other.
///
/// Source: Texas Instruments, TCA9548A (SCPS207), sections 8.5 and 8.6.
public final class VirtualMultiplexer: VirtualI2CDevice {
  /// The number of channels.
  public static let channelCount = 8
  /// The possible addresses, which the pins A2 to A0 select.
  public static let addresses: ClosedRange<UInt16> = 0x70...0x77

  /// The address on its bus.
  public let address: I2CAddress
  /// The selected channels, bit n for channel n; 0 after power-on.
  public private(set) var selection: UInt8 = 0
  /// The selection that takes effect at the stop.
  private var written: UInt8?
  private var isPowered = true
  /// The segments behind the channels; `nil` for a channel without a bus.
  let channels: [VirtualSegment?]

  /// Creates a multiplexer with no selected channel.
  ///
  /// - Parameters:
  ///   - address: its address.
  ///   - channels: the segments behind its channels, from channel 0 on; `nil` for a channel without a bus.
  /// - Precondition: there are at most eight channels.
  public init(_ address: I2CAddress, channels: [VirtualSegment?]) {
    precondition(channels.count <= Self.channelCount, "a multiplexer has eight channels")
    self.address = address
    self.channels = channels
  }

  /// Handles a start; returns whether the multiplexer has power.
  public func start(_ direction: I2CSegment.Direction, at time: inout WireTime) -> Bool {
    isPowered
  }

  /// Takes a new selection, which waits for the stop.
  public func write(_ byte: UInt8, at time: inout WireTime) -> Bool {
    written = byte
    return true
  }

  /// Returns the selection.
  public func read(at time: inout WireTime) -> UInt8 { selection }

  /// Passes the stop on to the selected channels, then selects the channels that were written.
  public func stop(at time: inout WireTime) {
    forEachSelected { segment in
      for device in segment.devices { device.stop(at: &time) }
    }
    if let written {
      selection = written
      self.written = nil
    }
  }

  /// Switches the supply; without it no channel is selected.
  public func setSupply(_ isOn: Bool, at time: UInt64) {
    isPowered = isOn
    (selection, written) = (0, nil)
  }

  /// Calls a closure with the segment of each selected channel.
  @inline(__always)
  func forEachSelected(_ body: (VirtualSegment) -> Void) {
    guard selection != 0 else { return }
    for (index, segment) in channels.enumerated() where selection >> UInt8(index) & 1 != 0 {
      if let segment { body(segment) }
    }
  }
}

/// The targets behind one channel of a multiplexer, with the faults planned for their bus.
public final class VirtualSegment {
  /// The targets, without those behind further multiplexers.
  public private(set) var devices: [any VirtualI2CDevice] = []
  /// The faults of the segment; they act while its channel is selected.
  public let faults: FaultPlan

  /// Creates a segment without targets.
  ///
  /// Default: no faults.
  public init(faults: FaultPlan = FaultPlan()) { self.faults = faults }

  /// Attaches a target to the segment.
  ///
  /// - Throws: `VirtualAdapter/AttachError` if another target of the segment uses its address.
  public func attach(_ device: any VirtualI2CDevice) throws(VirtualAdapter.AttachError) {
    guard !devices.contains(where: { $0.address == device.address }) else {
      throw .addressInUse(device.address)
    }
    devices.append(device)
  }
}

/// The targets that are reached through multiplexers.
extension VirtualAdapter {
  /// Calls a closure with each segment that is connected with the bus now.
  func forEachSegment(_ body: (VirtualSegment) -> Void) {
    for multiplexer in multiplexers { Self.visit(multiplexer, body) }
  }

  private static func visit(_ multiplexer: VirtualMultiplexer, _ body: (VirtualSegment) -> Void) {
    multiplexer.forEachSelected { segment in
      body(segment)
      for case let nested as VirtualMultiplexer in segment.devices { visit(nested, body) }
    }
  }

  /// Returns the target at an address on the bus or on a connected segment; if there are several, all of them respond.
  func connectedTarget(at address: I2CAddress) -> (any VirtualI2CDevice)? {
    shared.members.removeAll(keepingCapacity: true)
    for device in targets where device.address == address { shared.members.append(device) }
    forEachSegment { segment in
      for device in segment.devices where device.address == address {
        shared.members.append(device)
      }
    }
    return shared.members.count > 1 ? shared : shared.members.first
  }

  /// Returns the effect of the fault of a connected segment on a message to one of its targets.
  func injectBehind(
    _ segment: I2CSegment, register: UInt8?, at time: UInt64, isByte: Bool
  ) -> WireEffect? {
    var effect: WireEffect?
    forEachSegment { behind in
      guard effect == nil, behind.devices.contains(where: { $0.address == segment.address }) else {
        return
      }
      effect =
        isByte
        ? behind.faults.injectByte(segment, register: register, at: time, behind.devices)
        : behind.faults.inject(segment, register: register, at: time, behind.devices)
    }
    return effect
  }

  /// Begins a transfer on the connected segments; returns whether one of them holds SCL low.
  func beginBehind(at time: UInt64) -> Bool {
    reached.removeAll(keepingCapacity: true)
    forEachSegment { reached.append($0) }
    var isHeld = false
    for segment in reached where segment.faults.begin(at: time, segment.devices) { isHeld = true }
    return isHeld
  }

  /// Ends a transfer on the segments on which it has begun.
  func endBehind(at time: UInt64) {
    for segment in reached { segment.faults.end(segment.devices, at: time) }
  }
}

/// Several targets with one address: each acknowledges for all, and a bit is read as 0 if any of them drives it low.
final class SharedTarget: VirtualI2CDevice {
  var members: [any VirtualI2CDevice] = []
  private var answering: [any VirtualI2CDevice] = []

  var address: I2CAddress { members.first?.address ?? 0 }

  func start(_ direction: I2CSegment.Direction, at time: inout WireTime) -> Bool {
    answering.removeAll(keepingCapacity: true)
    for member in members where member.start(direction, at: &time) { answering.append(member) }
    return !answering.isEmpty
  }

  func write(_ byte: UInt8, at time: inout WireTime) -> Bool {
    var isAcknowledged = false
    for member in answering where member.write(byte, at: &time) { isAcknowledged = true }
    return isAcknowledged
  }

  func read(at time: inout WireTime) -> UInt8 {
    answering.reduce(0xFF) { $0 & $1.read(at: &time) }
  }

  /// Does nothing: the bus sends the stop to each target itself.
  func stop(at time: inout WireTime) {}
}

/// The driver of a multiplexer, as Linux's `i2c-mux-pca954x`: it writes the selection only if another channel was used
/// last, and leaves the channel selected.
public final class MultiplexerDriver {
  fileprivate let adapter: any I2CAdapter
  private let address: I2CAddress
  /// The selection that the driver wrote last; `nil` before the first and after a failure.
  private var selected: UInt8?

  /// Creates the driver of the multiplexer at an address.
  public init(_ adapter: any I2CAdapter, at address: I2CAddress) {
    self.adapter = adapter
    self.address = address
  }

  /// Returns the adapter of a channel, from 0 to 7.
  public func channel(_ channel: Int) -> some I2CAdapter {
    MultiplexerChannel(self, selection: 1 << UInt8(channel))
  }

  fileprivate func select(_ selection: UInt8) throws(I2CError) {
    guard selection != selected else { return }
    selected = nil
    try adapter.write([selection].span, to: address)
    selected = selection
  }
}

/// A channel of a multiplexer as an adapter of its own.
private final class MultiplexerChannel: I2CAdapter {
  private let driver: MultiplexerDriver
  private let selection: UInt8

  init(_ driver: MultiplexerDriver, selection: UInt8) {
    (self.driver, self.selection) = (driver, selection)
  }

  var functionality: I2CFunctionality { driver.adapter.functionality }
  var quirks: I2CQuirks { driver.adapter.quirks }

  func transfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
  ) throws(I2CError) {
    try driver.select(selection)
    try driver.adapter.transfer(segments, writing: writing, reading: &reading)
  }
}
