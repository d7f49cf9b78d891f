package import Barometry
package import Diagnosis
package import Environment
package import Parts
package import PlainHTTP

/// The program that reads the sensors of a rig: read, compensate, average, forecast.
package struct Pipeline: Sendable {
  package enum Forecaster: String, Hashable, Sendable, CaseIterable {
    /// The forecaster from the thesis on which this project is based.
    case thesis
    /// The forecaster of Freescale's application note AN3914, which uses one sample per minute.
    case note = "an3914"
    /// The Zambretti forecaster by Negretti and Zambra.
    case zambretti
    /// The pressure tendency of weather stations, WMO code table 0200.
    case tendency
  }

  /// The settings of the leak detection.
  package struct LeakWatch: Hashable, Sendable {
    /// The cabin pressure in Pa at which the crew leaves.
    package internal(set) var limit = LeakAnalysis().limit
    /// The reserve time in nanoseconds below which the crew goes to its safe haven; reserve time is the time until the
    /// pressure reaches `limit`.
    package internal(set) var haven = UInt64(10 * TimeSpan.minute)
    /// The time in nanoseconds that the crew needs to reach a hatch; `nil` if it does not search for the leak.
    package internal(set) var search: UInt64?
  }

  /// The sensors to read, in order.
  package internal(set) var sensors: [Rig.SensorID] = []
  /// The driver settings of each model, by the name of the model.
  package internal(set) var settings: [String: any DriverSettings] = [:]
  /// The number of readings in a cycle.
  package internal(set) var samples = 5
  /// The interval between readings, in nanoseconds.
  package internal(set) var sampleInterval = UInt64(10 * TimeSpan.second)
  /// The interval between the starts of cycles, in nanoseconds.
  package internal(set) var cycle = UInt64(30 * TimeSpan.minute)
  /// The retention time of averages, in nanoseconds.
  package internal(set) var retention = 2 * TimeSpan.hour
  /// The longest gap between averages that a forecast may span, in nanoseconds.
  package internal(set) var maximumGap = TimeSpan.hour
  /// The shortest history from which the thesis's forecaster makes a forecast, in nanoseconds.
  package internal(set) var minimumSpan = ThesisForecaster().minimumSpan
  /// The forecasters, which all run on the same data.
  package internal(set) var forecasters: [Forecaster] = []
  /// The Zambretti forecaster, configured for the hemisphere of the station.
  package internal(set) var zambretti = Zambretti()
  /// The direction from which the wind blows, in degrees; `nil` if unknown.
  package internal(set) var wind: Double?
  /// The leak detection; `nil` if it is off.
  package internal(set) var leak: LeakWatch?
  /// The file that stores the averages across runs; `nil` for none.
  package internal(set) var history: String?
  /// The times at which a user requests a forecast between cycles, in nanoseconds, in order.
  package internal(set) var requests: [UInt64] = []
  /// The altitude of the sensor in m; `nil` if pressure is not reduced to sea level.
  package internal(set) var altitude: Profile?
  /// The temperature at the sensor for the reduction to sea level.
  package internal(set) var reductionTemperature = ReductionTemperature.measured
  /// The program with defects whose results are compared with those of the driver; `nil` for none.
  package internal(set) var comparedProgram: ComparedProgram?
  /// The weather source that replaces a lost sensor; `nil` for none.
  package internal(set) var backup: BackupSource?
  /// The error of the board's own thermometer in °C; `nil` if the board has none.
  package internal(set) var thermometerOffset: Double?
}

/// A program with defects whose results are compared with those of the driver, as a sequence of
/// builds.
package struct ComparedProgram: Sendable {
  /// A build of the program.
  package struct Build: Sendable {
    /// The time from which the build runs, in nanoseconds since the start of the run.
    package let start: UInt64
    /// The decoder with the defects of the build.
    package let decoder: FaultyDecoder
    /// The number of pressures in a cycle that are missing from the sum, although the sum is
    /// divided by the full count.
    package let lost: Int
    /// `true` if the build starts without the state of the previous build.
    package let isRestart: Bool

    package init(start: UInt64, decoder: FaultyDecoder, lost: Int, isRestart: Bool) {
      (self.start, self.decoder, self.lost, self.isRestart) = (start, decoder, lost, isRestart)
    }
  }

  /// The builds, in order of time; the first runs from time 0.
  package let builds: [Build]

  /// Creates a program from its builds.
  package init(_ builds: [Build]) { self.builds = builds }

  /// Returns the index of the build that runs at a time in nanoseconds.
  package func build(at time: UInt64) -> Int { builds.lastIndex { $0.start <= time } ?? 0 }
}

/// The weather source that replaces a lost sensor; it provides current or hourly values in
/// Open-Meteo's format.
package enum BackupSource: Hashable, Sendable {
  /// A file that contains the response of a weather service.
  case file(String)
  case server(HTTPAddress)

  /// The path or URL, for reports.
  package var name: String {
    switch self {
    case .file(let path): path
    case .server(let address): address.text
    }
  }
}

/// A firmware image on a virtual microcontroller that uses the buses of a rig.
package struct FirmwareConfiguration: Hashable, Sendable {
  /// The file of the image.
  package let image: String
  /// Further files that are programmed too, such as a boot loader.
  package let others: [String]
  /// The fuse bytes by name; those that are missing have the value of a new board.
  package let fuses: [String: UInt8]
  /// The command that builds the image; `nil` if unknown.
  package let builder: String?
  /// The microcontroller; `nil` to detect it from the image.
  package let microcontroller: String?
  /// The load address of a raw binary.
  package let address: UInt32?
  /// The bus number of each I2C controller; empty for the default assignment.
  package let ports: [String: Int]
  /// The regular expression of a UART line that ends the run; `nil` for none.
  package let until: String?
  /// The regular expression of the line that the rig expects, which ends the run too; `nil` for
  /// none.
  package var awaited: String?
  /// The line of the firmware section in the rig file.
  package let line: Int

  /// The regular expressions of the lines that end the run.
  package var endings: [String] { [until, awaited].compactMap(\.self) }
}

/// A regular expression to match against the lines of a serial port.
package struct SerialPattern: @unchecked Sendable {
  /// The expression without enclosing slashes.
  package let text: String
  private let regex: Regex<AnyRegexOutput>

  /// Creates a pattern; `nil` if the text is not a valid regular expression.
  ///
  /// Enclosing slashes are removed.
  package init?(_ text: String) {
    var inner = text[...]
    if inner.count > 1, inner.hasPrefix("/"), inner.hasSuffix("/") {
      inner = inner.dropFirst().dropLast()
    }
    guard let regex = try? Regex(String(inner)) else { return nil }
    self.text = String(inner)
    self.regex = regex
  }

  /// Returns whether a line contains a match.
  package func matches(_ line: String) -> Bool { (try? regex.firstMatch(in: line)) ?? nil != nil }
}

/// The temperature at a sensor by which its pressure is reduced to sea level.
package enum ReductionTemperature: Hashable, Sendable {
  /// That of the sensor at the time of the pressure.
  case measured
  /// That of the standard atmosphere at the altitude.
  case standard
  /// A fixed temperature in °C, such as the mean of the site.
  case fixed(Double)
}
