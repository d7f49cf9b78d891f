import Forecasts
import Foundation
import Glibc
import StationService
import Testing

/// Time zones, compared with the C library on the same database, and with known rules.
struct TimeZoneTests {
  @Test("each system time zone has the UTC offsets of the C library from 1970 to 2070")
  func judged() throws {
    let zones = TimeZones.system
    #expect(zones.isWhole)
    var names = ["Etc/GMT+5", "UTC"]
    for folder in ["Africa", "America", "Antarctica", "Asia", "Australia", "Europe", "Pacific"] {
      names += try FileManager.default.contentsOfDirectory(atPath: "/usr/share/zoneinfo/" + folder)
        .map { folder + "/" + $0 }
    }
    var judged = 0
    defer {
      unsetenv("TZ")
      tzset()
    }
    for name in names {
      guard let zone = zones.zone(named: name) else { continue }
      setenv("TZ", name, 1)
      tzset()
      for moment in stride(from: 0, to: 3_155_760_000, by: 2_629_800 / 2 + 977) {
        var (time, broken) = (time_t(moment), tm())
        localtime_r(&time, &broken)
        guard zone.offset(at: moment) == broken.tm_gmtoff else {
          Issue.record(
            "\(name) at \(moment): \(zone.offset(at: moment)), not \(broken.tm_gmtoff)")
          break
        }
      }
      judged += 1
    }
    #expect(judged > 350)
  }

  @Test("a time zone's offset changes at the correct second")
  func edges() throws {
    let lisbon = try #require(TimeZones.system.zone(named: "Europe/Lisbon"))
    // The changes are on 29 March and 25 October 2026, and on 28 March and 31 October 2060, for
    // which only the rule applies.
    for (spring, autumn) in [
      (1_774_746_000, 1_792_890_000), (2_847_661_200, 2_866_410_000),
    ] {
      #expect(lisbon.offset(at: spring - 1) == 0 && lisbon.offset(at: spring) == 3600)
      #expect(lisbon.offset(at: autumn - 1) == 3600 && lisbon.offset(at: autumn) == 0)
    }
  }

  @Test(
    "time zone rules are parsed in every form",
    arguments: [
      ("UTC0", 0, 0), ("<+0545>-5:45", 20700, 20700), ("EST5EDT", -18000, -14400),
      ("NZST-12NZDT,M9.5.0,M4.1.0/3", 46800, 43200), ("IST-1GMT0,M10.5.0,M3.5.0/1", 0, 3600),
      ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", -7200, -3600), ("AAA3BBB,J60,J300", -10800, -7200),
      ("AAA3BBB,59/0,299/24:00:00", -10800, -7200),
    ])
  func rules(_ text: String, _ january: Int, _ july: Int) throws {
    guard text != "EST5EDT" else {
      // A rule without days is invalid.
      return #expect(ZoneRule(text) == nil)
    }
    let rule = try #require(ZoneRule(text))
    #expect(rule.offset(at: 1_768_435_200) == january && rule.offset(at: 1_784_073_600) == july)
  }

  @Test(
    "invalid time zone rules are rejected",
    arguments: [
      "", "A0", "WET", "WET0WEST,M13.5.0,M10.5.0", "WET0WEST,M3.6.0,M10.5.0", "WET0WEST,M3.5.0",
      "WET0WEST,M3.5.7,M10.5.0", "WET999", "WET0WEST,J0,J5", "WET0 ", "<+0",
    ])
  func broken(_ text: String) { #expect(ZoneRule(text) == nil) }

  @Test(
    "a location is assigned the correct time zone",
    arguments: [
      (38.7, -9.1, "Europe/Lisbon"), (41.8, -6.76, "Europe/Lisbon"), (40.4, -3.7, "Europe/Madrid"),
      (32.65, -16.9, "Atlantic/Madeira"), (37.74, -25.67, "Atlantic/Azores"),
      (40.7, -74.0, "America/New_York"), (35.7, 139.7, "Asia/Tokyo"),
      (-33.9, 151.2, "Australia/Sydney"),
      (27.7, 85.3, "Asia/Kathmandu"), (59.91, 10.75, "Europe/Oslo"),
      (60.39, 5.32, "Europe/Oslo"), (63.43, 10.4, "Europe/Oslo"),
      (64.15, -21.94, "Atlantic/Reykjavik"),
      (19.08, 72.88, "Asia/Kolkata"), (28.65, 77.23, "Asia/Kolkata"),
      (39.91, 116.4, "Asia/Shanghai"),
      (-4.33, 15.31, "Africa/Kinshasa"), (38.41, 27.14, "Europe/Istanbul"),
      (59.94, 30.31, "Europe/Moscow"), (9.02, 38.75, "Africa/Addis_Ababa"),
      (21.02, 105.84, "Asia/Bangkok"), (31.73, -106.49, "America/Ciudad_Juarez"),
      (31.79, -106.42, "America/Denver"), (42.15, -6.7, "Europe/Madrid"),
      (41.15, -7.0, "Europe/Lisbon"), (40.0, -6.87, "Europe/Madrid"),
      (-31.55, 159.08, "Australia/Lord_Howe"), (65.0, -179.9, "Asia/Anadyr"),
    ])
  func places(_ latitude: Double, _ longitude: Double, _ name: String) throws {
    let location = try #require(GeoPoint(latitude: latitude, longitude: longitude))
    #expect(TimeZones.system.zone(of: location).name == name)
  }

  @Test(
    "without a time zone database, only Portugal and Spain have zones, and other places use UTC")
  func bare() throws {
    let zones = TimeZones(folder: "/nowhere")
    #expect(!zones.isWhole && zones.zone(named: "Asia/Tokyo") == nil)
    #expect(zones.zone(named: "Europe/Lisbon")?.offset(at: 1_784_073_600) == 3600)
    #expect(zones.zone(named: "Atlantic/Azores")?.offset(at: 1_784_073_600) == 0)
    let tokyo = try #require(GeoPoint(latitude: 35.7, longitude: 139.7))
    #expect(zones.zone(of: tokyo).name == "UTC")
  }

  @Test("invalid time zone files are rejected, and no name opens a file outside the folder")
  func files() throws {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/Europe/Lisbon")))
    #expect(Zone(name: "x", bytes: bytes) != nil)
    for count in 0..<(bytes.count - 40) where count % 7 == 0 {
      #expect(Zone(name: "x", bytes: Array(bytes.prefix(count))) == nil)
    }
    for name in [
      "../../../etc/passwd", "zone1970.tab", "tzdata.zi", "posix/Europe/Lisbon", "", "/",
    ] {
      #expect(TimeZones.system.zone(named: name) == nil)
    }
  }
}
