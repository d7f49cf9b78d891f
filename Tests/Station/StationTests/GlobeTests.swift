import Forecasts
import Testing

/// Global grids, which close around the Earth and reach the poles.
struct GlobeTests {
  static func grid(_ first: Double, falling: Bool) throws -> Grid {
    let latitudes = (0..<18).map { -85.0 + 10 * Double($0) }
    let longitudes = (0..<36).map { first + 10 * Double($0) }
    return .regular(
      rows: try #require(Axis(falling ? latitudes.reversed() : latitudes)),
      columns: try #require(Axis(longitudes)))
  }

  @Test(
    "a location between the last and the first column of a global grid is in a grid cell",
    arguments: [0.0, -180, -175, 5])
  func seam(_ first: Double) throws {
    let grid = try Self.grid(first, falling: false)
    for longitude in stride(from: -180.0, through: 180, by: 0.5) {
      let location = try #require(GeoPoint(latitude: 12, longitude: longitude))
      let cell = try #require(grid.cell(around: location))
      // The mean of the two columns' longitudes must be the point's longitude.
      let west = grid.point(row: 0, column: cell.column).longitude
      var turn = grid.point(row: 0, column: cell.nextColumn).longitude - west
      while turn < 0 { turn += 360 }
      #expect(turn == 10)
      var miss = west + cell.columnShare * turn - longitude
      while miss > 180 { miss -= 360 }
      while miss < -180 { miss += 360 }
      #expect(abs(miss) < 1e-9)
      #expect(cell.size > 0 && cell.size < 1200)
    }
  }

  @Test("the last row of a global grid applies up to the pole", arguments: [false, true])
  func poles(_ falling: Bool) throws {
    let grid = try Self.grid(0, falling: falling)
    for latitude in [-90.0, -89, -85.1, 85.1, 88, 90] {
      let location = try #require(GeoPoint(latitude: latitude, longitude: 12))
      let cell = try #require(grid.cell(around: location))
      let row = cell.rowShare < 0.5 ? cell.row : cell.row + 1
      #expect(abs(grid.point(row: row, column: 0).latitude) == 85)
      #expect(grid.point(row: row, column: 0).latitude * latitude > 0)
    }
    // A regional grid ends at its last row.
    let part = Grid.regular(
      rows: try #require(Axis([70, 80, 85])), columns: try #require(Axis([0, 10, 20])))
    #expect(part.cell(around: try #require(GeoPoint(latitude: 86, longitude: 10))) == nil)
    #expect(part.cell(around: try #require(GeoPoint(latitude: 80, longitude: -1))) == nil)
  }
}
