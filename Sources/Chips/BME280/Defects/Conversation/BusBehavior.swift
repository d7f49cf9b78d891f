/// What a program does on the bus, right unless something is changed in it.
struct BusBehavior: Hashable {
  /// How it waits for a measurement.
  enum Wait: Hashable {
    /// The longest time of the datasheet.
    case right
    /// Not at all.
    case none
    /// Until measuring is 0, which it still is right after the trigger.
    case polling
    /// Without the time of the humidity.
    case short
  }

  var waitsForCopy = true
  var writesHumidityControlLast = false
  var configuresInNormalMode = false
  var rewritesWhileMeasuring = false
  var wait = Wait.right
  var triggersOnce = false
  var skipsPressure = false
  var skipsHumidity = false
  var splitsReads = false
  var takesAnyChip = false
  var writesBlocks = false
  var clearsBit7 = false
  var missesPowerLoss = false
  var shiftsConfiguration = false
  var writesHumidityControlElsewhere = false

  /// Whether it needs normal mode to show.
  var usesNormalMode: Bool { configuresInNormalMode || splitsReads }
}
