extension PlannedFault {
  /// When it happens: all conditions together.
  public struct Trigger: Hashable, Sendable {
    /// From when on, in nanoseconds since the start of the run.
    public var start: UInt64 = 0
    /// How many transfers of the bus pass before.
    public var transfers = 0
    /// Only messages that concern this register; any where nothing.
    public var register: UInt8?
    /// How likely each message that meets the conditions is struck, from 0 to 1.
    public var probability = 1.0

    /// Makes a trigger: at once, for everything.
    public init() {}
  }
}
