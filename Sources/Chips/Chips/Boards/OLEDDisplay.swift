public import I2C
public import VirtualI2C

/// A display SSD1306 with 128 columns and 64 or 32 rows (Solomon Systech SSD1306, revision 1.1).
///
/// Commands and data are taken as by the part, with its three addressing modes, start line, offset, multiplex ratio,
/// remapping, inversion and the charge pump, without which a module stays dark. Scrolling, contrast and the configuration of
/// the row pins are accepted without effect, and remapping acts at once on the whole picture.
public final class VirtualSSD1306: VirtualI2CDevice {
  /// The possible addresses, by the level of the pin D/C#.
  public static let addresses: [UInt16] = [0x3C, 0x3D]
  static let columns = 128, pages = 8

  /// The address on the bus.
  public let address: I2CAddress
  /// The number of rows.
  public let rows: Int
  /// The memory: 8 pages of 128 columns; bit 0 is the top row of a page.
  private var memory = [UInt8](repeating: 0, count: columns * pages)
  private var state = State()
  private var isPowered = true
  /// `true` if the next byte is a control byte.
  private var awaitsControl = false
  /// `true` if the bytes after the control byte are data, and if no further control byte follows.
  private var isData = false, isLastControl = false
  /// The command whose arguments are incomplete, with the arguments so far.
  private var command: UInt8?
  private var arguments: [UInt8] = []

  /// The registers, with their values after a reset.
  private struct State {
    /// 0 horizontal, 1 vertical, 2 page.
    var mode: UInt8 = 2
    var column = 0, page = 0
    var columnRange = 0...127, pageRange = 0...7
    var pageColumn = 0
    var startLine = 0, offset = 0, ratio = 64
    var isOn = false, isAllOn = false, isInverted = false, hasPump = false
    var isColumnRemapped = false, isRowReversed = false
  }

  /// Creates a display whose memory is empty; that of a part has random content at power-on.
  ///
  /// - Parameters:
  ///   - address: the address.
  ///   - rows: 64 or 32.
  public init(at address: I2CAddress, rows: Int) {
    (self.address, self.rows) = (address, rows)
  }

  /// `true` if the panel emits light where pixels are set.
  public var isLit: Bool { isPowered && state.isOn && state.hasPump }

  /// The visible pixels by row, from the top left as a module is usually mounted; dark if the display is off.
  ///
  /// The panel of a usual module is mounted so that its picture is upright with commands 0xA1 and 0xC8.
  public var pixels: [[Bool]] {
    (0..<rows).map { row in
      (0..<Self.columns).map { column in
        guard isLit else { return false }
        if state.isAllOn { return true }
        let line = state.isRowReversed ? row : rows - 1 - row
        guard line < state.ratio else { return false }
        let source = (line + state.startLine + state.offset) % 64
        let segment = state.isColumnRemapped ? column : Self.columns - 1 - column
        let byte = memory[source / 8 * Self.columns + segment]
        return (byte >> UInt8(source % 8) & 1 != 0) != state.isInverted
      }
    }
  }

  /// Begins a message.
  public func start(_ direction: I2CSegment.Direction, at time: inout WireTime) -> Bool {
    guard isPowered else { return false }
    awaitsControl = direction == .write
    isLastControl = false
    return true
  }

  /// Takes a control byte, a command, an argument or data.
  public func write(_ byte: UInt8, at time: inout WireTime) -> Bool {
    if awaitsControl, !isLastControl {
      // Co: another control byte follows each byte; D/C#: data.
      isLastControl = byte & 0x80 == 0
      isData = byte & 0x40 != 0
      awaitsControl = false
      return true
    }
    if isData { store(byte) } else { take(byte) }
    if !isLastControl { awaitsControl = true }
    return true
  }

  /// Returns the status: bit 6 is set while the display is off.
  public func read(at time: inout WireTime) -> UInt8 { state.isOn ? 0 : 0x40 }

  /// Does nothing: commands and data take effect at once.
  public func stop(at time: inout WireTime) {}

  /// Switches the supply; a module resets the part at power-on.
  public func setSupply(_ isOn: Bool, at time: UInt64) {
    isPowered = isOn
    state = State()
    (command, arguments) = (nil, [])
  }

  // MARK: Data

  private func store(_ byte: UInt8) {
    memory[state.page * Self.columns + state.column] = byte
    switch state.mode {
    case 0:
      guard advanceColumn(in: state.columnRange) else { return }
      advancePage()
    case 1:
      guard advancePage() else { return }
      advanceColumn(in: state.columnRange)
    default: advanceColumn(in: 0...127)
    }
  }

  /// Advances the column; returns `true` if it wrapped.
  @discardableResult
  private func advanceColumn(in range: ClosedRange<Int>) -> Bool {
    let wraps = state.column == range.upperBound
    state.column = wraps ? range.lowerBound : (state.column + 1) % Self.columns
    return wraps
  }

  /// Advances the page; returns `true` if it wrapped.
  @discardableResult
  private func advancePage() -> Bool {
    let wraps = state.page == state.pageRange.upperBound
    state.page = wraps ? state.pageRange.lowerBound : (state.page + 1) % Self.pages
    return wraps
  }

  // MARK: Commands

  /// The number of arguments of commands that have some.
  private static let argumentCounts: [UInt8: Int] = [
    0x20: 1, 0x21: 2, 0x22: 2, 0x26: 6, 0x27: 6, 0x29: 5, 0x2A: 5, 0x81: 1, 0x8D: 1, 0xA3: 2,
    0xA8: 1, 0xD3: 1, 0xD5: 1, 0xD9: 1, 0xDA: 1, 0xDB: 1, 0x23: 1, 0xD6: 1,
  ]

  private func take(_ byte: UInt8) {
    if let command {
      arguments.append(byte)
      if arguments.count == Self.argumentCounts[command] {
        self.command = nil
        performWithArguments(command)
      }
    } else if Self.argumentCounts[byte] != nil {
      command = byte
      arguments.removeAll(keepingCapacity: true)
    } else {
      perform(byte)
    }
  }

  /// Performs a command without arguments.
  private func perform(_ command: UInt8) {
    switch command {
    case 0x00...0x0F: setPageColumn(state.pageColumn & 0xF0 | Int(command & 15))
    case 0x10...0x1F: setPageColumn(state.pageColumn & 0x0F | Int(command & 15) << 4)
    case 0x40...0x7F: state.startLine = Int(command & 63)
    case 0xA0, 0xA1: state.isColumnRemapped = command == 0xA1
    case 0xA4, 0xA5: state.isAllOn = command == 0xA5
    case 0xA6, 0xA7: state.isInverted = command == 0xA7
    case 0xAE, 0xAF: state.isOn = command == 0xAF
    case 0xB0...0xB7: state.page = Int(command & 7)
    case 0xC0...0xC7: state.isRowReversed = false
    case 0xC8...0xCF: state.isRowReversed = true
    default: break
    }
  }

  private func setPageColumn(_ column: Int) {
    state.pageColumn = column & 127
    state.column = state.pageColumn
  }

  /// Performs a command whose arguments have come.
  private func performWithArguments(_ command: UInt8) {
    func argument(_ index: Int) -> Int { Int(arguments[index]) }
    switch command {
    case 0x20: state.mode = min(UInt8(argument(0) & 3), 2)
    case 0x21:
      let (first, last) = (argument(0) & 127, argument(1) & 127)
      state.columnRange = min(first, last)...max(first, last)
      state.column = first
    case 0x22:
      let (first, last) = (argument(0) & 7, argument(1) & 7)
      state.pageRange = min(first, last)...max(first, last)
      state.page = first
    case 0x8D: state.hasPump = argument(0) & 4 != 0
    case 0xA8: state.ratio = (argument(0) & 63) + 1
    case 0xD3: state.offset = argument(0) & 63
    default: break
    }
  }
}
