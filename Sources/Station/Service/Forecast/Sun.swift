import Forecasts
import Glibc

/// Where the sun stands, to about a minute: the low-precision formulas of the Astronomical Almanac.
enum Sun {
  /// The sun's height above the horizon in degrees, without the air's refraction.
  static func height(_ place: Place, at moment: Double) -> Double {
    let degree = Double.pi / 180
    let days = moment / 86400 - 10957.5
    let mean = (280.460 + 0.985_647_4 * days) * degree
    let anomaly = (357.528 + 0.985_600_3 * days) * degree
    let longitude = mean + (1.915 * sin(anomaly) + 0.020 * sin(2 * anomaly)) * degree
    let tilt = (23.439 - 4e-7 * days) * degree
    let ascension = atan2(cos(tilt) * sin(longitude), cos(longitude))
    let declination = asin(sin(tilt) * sin(longitude))
    let sidereal = (280.460_618_37 + 360.985_647_366_29 * days + place.longitude) * degree
    let hour = sidereal - ascension
    let latitude = place.latitude * degree
    return asin(
      sin(latitude) * sin(declination) + cos(latitude) * cos(declination) * cos(hour)) / degree
  }

  /// Below which height the sun's upper edge is hidden: half its width, and the air's refraction.
  static let horizon = -0.833

  /// Whether it is day.
  static func isUp(_ place: Place, at moment: Int) -> Bool {
    height(place, at: Double(moment)) > horizon
  }

  /// The sun's rise or set in an interval; `nil` where it does neither.
  ///
  /// - Parameters:
  ///   - place: where.
  ///   - start: the start of the interval, in seconds since 1970.
  ///   - end: its end.
  ///   - rising: which of the two.
  /// - Returns: when.
  static func crossing(_ place: Place, from start: Int, to end: Int, rising: Bool) -> Int? {
    var moment = start
    while moment < end {
      let next = min(moment + 600, end)
      let (was, will) = (isUp(place, at: moment), isUp(place, at: next))
      if was != will, will == rising {
        var (low, high) = (Double(moment), Double(next))
        while high - low > 0.5 {
          let middle = (low + high) / 2
          if (height(place, at: middle) > horizon) == will { high = middle } else { low = middle }
        }
        return Int(high.rounded())
      }
      moment = next
    }
    return nil
  }
}
