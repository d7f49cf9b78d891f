import Forecasts
import Testing

/// Edge cases of axes, cells and calendars.
struct GridTests {
  @Test("values at both ends of an ascending, descending or circular axis are within the axis")
  func axis() throws {
    for values in [[-10.0, -9, -7, -6], [-6, -7, -9, -10]] {
      let axis = try #require(Axis(values))
      for value in values { #expect(axis.position(of: value) != nil) }
      #expect(axis.position(of: -10.001) == nil && axis.position(of: -5.999) == nil)
      let position = try #require(axis.position(of: -8))
      #expect(
        values[position.index] + position.share
          * (values[position.index + 1] - values[position.index]) == -8)
      #expect(axis.position(of: 352, around: 360) != nil)
    }
    #expect(Axis([1, 2, 2]) == nil && Axis([1, 2, 1]) == nil && Axis([1]) == nil)
  }

  @Test(
    "converting a point to rotated coordinates and back gives the same point",
    arguments: [(37.5, 177.5, 0.0), (90, 0, 0), (-20, 30, 15)])
  func pole(_ latitude: Double, _ longitude: Double, _ turned: Double) throws {
    let pole = RotatedPole(latitude: latitude, longitude: longitude, gridLongitude: turned)
    for (north, east) in [(38.7, -9.1), (0, 0), (-45, 170), (89, 12)] {
      let location = try #require(GeoPoint(latitude: north, longitude: east))
      let there = pole.rotated(location)
      let back = pole.geographic(latitude: there.latitude, longitude: there.longitude)
      #expect(abs(back.latitude - north) < 1e-9)
      let difference = (back.longitude - east + 540).truncatingRemainder(dividingBy: 360) - 180
      #expect(abs(difference) < 1e-8)
    }
  }

  @Test("converting a day to a date and back gives the same day")
  func calendar() {
    for day in stride(from: -200_000, through: 200_000, by: 37) {
      let date = CivilTime.date(day)
      #expect(CivilTime.day(date.year, date.month, date.day) == day)
    }
    #expect(CivilTime.seconds(2013, 2, 29) == nil && CivilTime.seconds(2012, 2, 29) != nil)
    #expect(CivilTime.parse("2013-10-01_01:00:00") == CivilTime.seconds(2013, 10, 1, 1))
    #expect(CivilTime.stamp(1_380_589_200) == "2013-10-01T01:00:00Z")
    #expect(CivilTime.parse("yesterday") == nil && CivilTime.parse("2013-13-01") == nil)
  }

  @Test("a curvilinear grid includes its corners and excludes points slightly outside")
  func corners() throws {
    let rows = 5
    let columns = 4
    var (north, east): ([Double], [Double]) = ([], [])
    for row in 0..<rows {
      for column in 0..<columns {
        north.append(38 + 0.5 * Double(row) + 0.1 * Double(column))
        east.append(-9 + 0.5 * Double(column) - 0.1 * Double(row))
      }
    }
    let grid = Grid.curvilinear(
      try #require(
        CurvilinearGrid(rows: rows, columns: columns, latitudes: north, longitudes: east)))
    for index in north.indices {
      let location = try #require(GeoPoint(latitude: north[index], longitude: east[index]))
      let cell = try #require(grid.cell(around: location))
      let value = cell.value(
        (
          north[cell.row * columns + cell.column], north[cell.row * columns + cell.column + 1],
          north[(cell.row + 1) * columns + cell.column],
          north[(cell.row + 1) * columns + cell.column + 1]
        ))
      #expect(abs(value - north[index]) < 1e-6)
    }
    let outside = try #require(GeoPoint(latitude: 38 - 0.001, longitude: -9))
    #expect(grid.cell(around: outside) == nil)
  }
}
