/// What a program does on the bus, right unless something is changed in it.
package struct BusBehavior: Hashable {
  /// How it waits for a measurement.
  package enum Wait: Hashable {
    /// The longest time of the datasheet.
    case right
    /// Not at all.
    case none
    /// Until measuring is 0, which it still is right after the trigger.
    case polling
    /// Without the time of the humidity.
    case short
  }

  package var waitsForCopy = true
  package var writesHumidityControlLast = false
  package var configuresInNormalMode = false
  package var rewritesWhileMeasuring = false
  package var wait = Wait.right
  package var triggersOnce = false
  package var skipsPressure = false
  package var skipsHumidity = false
  package var splitsReads = false
  package var takesAnyChip = false
  package var writesBlocks = false
  package var clearsBit7 = false
  package var missesPowerLoss = false
  package var shiftsConfiguration = false
  package var writesHumidityControlElsewhere = false

  /// Whether it needs normal mode to show.
  package var usesNormalMode: Bool { configuresInNormalMode || splitsReads }
}
