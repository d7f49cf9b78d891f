extension Decoding {
  /// Which quantities can come out otherwise than of a right program.
  var reach: Quantities {
    let right = Decoding()
    var reach = Quantities()
    let own = words
    let general: [Bool] = [
      own.merge != right.words.merge, own.signs != right.words.signs, own.ignoresPointer,
      raw.layout != .right, raw.lowest != .right, raw.skipCode != .value,
      formula.isTemperatureUnsigned, formula.shift != .arithmetic, formula.lacksSquare,
      formula.shiftsBeforeMultiplying, formula.clampsToRange, isOneLate,
    ]
    if general.contains(true) { return .all }
    if own.pressureOffset != 0 || own.repeatsLastByte || fine != .own || scale != .right
      || formula.comparesInsteadOfShifting || formula.losesUpperBits || formula.typo != .none
      || formula.shiftsP2Down || raw.takesTemperatureForPressure
    {
      reach.insert(.pressure)
    }
    if own.nibbles != .right || !own.extendsNibbles || own.readsH1Before || own.readsUpperLater
      || fine != .own || raw.repeatsHumidityByte || !formula.clampsHumidity
      || formula.hasWrongConstant || formula.invertsH5 || humidityFactor != 1
      || takesLimitForError || showsPressureAsHumidity
    {
      reach.insert(.humidity)
    }
    if temperatureOffset != 0 { reach.insert(.temperature) }
    return reach
  }
}
