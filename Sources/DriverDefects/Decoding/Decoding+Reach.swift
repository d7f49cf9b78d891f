extension Decoding {
  /// Which quantities can come out otherwise than of a right program.
  var reach: Quantities {
    let right = Decoding()
    var reach = Quantities()
    let own = words
    let general: [Bool] = [
      own.merge != right.words.merge, own.ignoresPointer,
      [.all, .none, .notT3].contains(own.signs),
      raw.layout != .right, raw.lowest != .right, raw.skipCode != .value,
      formula.isTemperatureUnsigned, formula.shift != .arithmetic, formula.lacksSquare,
      formula.shiftsBeforeMultiplying, formula.clampsToRange, isOneLate,
    ]
    if general.contains(true) { return .all }
    if own.signs == .notP9 || own.pressureOffset != 0 || own.repeatsLastByte || fine != .own
      || scale != .right
      || formula.comparesInsteadOfShifting || formula.losesUpperBits || formula.typo != .none
      || formula.shiftsP2Down || raw.takesTemperatureForPressure
    {
      reach.insert(.pressure)
    }
    if own.nibbles != .right || !own.extendsNibbles || own.readsH1Before || own.readsUpperLater
      || own.signs == .h3Too || own.signs == .notH6 || formula.appliesH3Twice
      || formula.overwritesTemperature
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
