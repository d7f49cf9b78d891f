/// A field of a forecast file; each comment names its internal unit.
enum Field: String, CaseIterable, Sendable {
  /// Temperature 2 m above the ground in °C.
  case temperature
  /// Relative humidity in % over water.
  case humidity
  /// Mixing ratio in kg of water per kg of dry air; used to compute humidity if a file has none.
  case mixingRatio
  /// Dew point 2 m above the ground in °C; used to compute humidity if a file has none.
  case dewPoint
  /// Specific humidity in kg of water per kg of air; used to compute humidity if a file has none.
  case specificHumidity
  /// Rain in mm, per step or accumulated since the start, or as a rate in mm/s.
  case rain
  /// Convective rain in mm since the start, for models that accumulate it separately.
  case convectiveRain
  /// Cloud cover in %.
  case cloud
  /// Wind component in m/s towards the east, or along the grid's rows.
  case windEast
  /// Wind component in m/s towards the north, or across the grid's rows.
  case windNorth
  /// Wind speed in m/s.
  case windSpeed
  /// The direction from which the wind comes, in degrees from north.
  case windFrom
  /// Speed of gusts in m/s, at the time of a step or the highest since the step before.
  case windGust
  /// Pressure at sea level in hPa.
  case seaLevelPressure
  /// Pressure at the surface in hPa.
  case surfacePressure
  /// Elevation of the surface in m above sea level.
  case elevation

  /// The CF `standard_name`s of the field, and the names that models, converters and services (WRF,
  /// ecCodes, cfgrib, wgrib2, COSMO and ICON, Open-Meteo) use for it.
  var names: (standard: [String], own: [String]) {
    switch self {
    case .temperature:
      (["air_temperature"], ["T2", "t2m", "2t", "TMP_2maboveground", "T_2M", "temperature_2m"])
    case .humidity:
      (
        ["relative_humidity"],
        ["RH2", "r2", "2r", "RH_2maboveground", "RELHUM_2M", "relative_humidity_2m"]
      )
    case .mixingRatio: (["humidity_mixing_ratio"], ["Q2"])
    case .dewPoint:
      (
        ["dew_point_temperature"],
        ["d2m", "2d", "TD2", "DPT_2maboveground", "TD_2M", "dew_point_2m"]
      )
    case .specificHumidity:
      (["specific_humidity"], ["q2", "sh2", "2sh", "SPFH_2maboveground", "QV_2M"])
    case .rain:
      (
        [
          "precipitation_amount", "lwe_thickness_of_precipitation_amount", "precipitation_flux",
          "rainfall_amount", "rainfall_flux", "lwe_precipitation_rate",
          "thickness_of_rainfall_amount",
        ],
        [
          "RAINNC", "tp", "APCP_surface", "tprate", "prate", "PRATE_surface", "mtpr", "avg_tprate",
          "TOT_PREC", "precipitation",
        ]
      )
    case .convectiveRain: ([], ["RAINC"])
    case .cloud:
      (
        ["cloud_area_fraction"],
        ["tcc", "CLDFRA_TOTAL", "TCDC_entireatmosphere", "TCDC_surface", "CLCT", "cloud_cover"]
      )
    case .windEast:
      (
        ["eastward_wind", "x_wind", "grid_eastward_wind"],
        ["U10", "u10", "10u", "UGRD_10maboveground", "U_10M"]
      )
    case .windNorth:
      (
        ["northward_wind", "y_wind", "grid_northward_wind"],
        ["V10", "v10", "10v", "VGRD_10maboveground", "V_10M"]
      )
    case .windSpeed:
      (["wind_speed"], ["ws10", "si10", "10si", "WIND_10maboveground", "SP_10M", "wind_speed_10m"])
    case .windFrom:
      (
        ["wind_from_direction"],
        ["wdir10", "wd10", "10wdir", "WDIR_10maboveground", "DD_10M", "wind_direction_10m"]
      )
    case .windGust:
      (
        ["wind_speed_of_gust"],
        [
          "fg10", "10fg", "i10fg", "gust", "max_i10fg", "GUST_surface", "GUST_10maboveground",
          "VMAX_10M",
          "wind_gusts_10m",
        ]
      )
    case .seaLevelPressure:
      (
        ["air_pressure_at_mean_sea_level", "air_pressure_at_sea_level"],
        [
          "msl", "PMSL", "slp", "prmsl", "mslet", "PRMSL_meansealevel", "MSLET_meansealevel",
          "pressure_msl",
        ]
      )
    case .surfacePressure:
      (["surface_air_pressure"], ["PSFC", "sp", "PRES_surface", "PS", "surface_pressure"])
    case .elevation: (["surface_altitude"], ["HGT", "orog", "HGT_surface", "HSURF", "elevation"])
    }
  }

  /// The height above ground in m at which the field is read; `nil` for fields without a height.
  var height: Double? {
    switch self {
    case .temperature, .humidity, .dewPoint, .mixingRatio, .specificHumidity: 2
    case .windEast, .windNorth, .windSpeed, .windFrom, .windGust: 10
    default: nil
    }
  }

  /// The physically possible range in the internal unit; values outside are treated as missing.
  var possible: ClosedRange<Double> {
    switch self {
    case .temperature, .dewPoint: -100...70
    case .humidity: -1...200
    case .cloud: -1...101
    case .mixingRatio, .specificHumidity: -0.001...0.1
    case .rain, .convectiveRain: -1...1e6
    case .windEast, .windNorth, .windSpeed, .windGust: -150...150
    case .windFrom: -360...720
    case .seaLevelPressure: 800...1150
    case .surfacePressure: 300...1150
    case .elevation: -1000...10_000
    }
  }

  /// Normalizes a unit for lookup: uses single spaces, removes `**` and `^` from exponents, and
  /// removes "of water equivalent".
  static func plain(_ unit: String) -> String {
    let bare = unit.replacing("**", with: "").replacing("^", with: "")
      .replacing(" of water equivalent", with: "")
    return bare.split(separator: " ").joined(separator: " ")
  }

  /// The accepted units in the form of `plain(_:)`, each with the factor and the offset that
  /// convert it to the internal unit.
  var units: [String: (scale: Double, offset: Double)] {
    switch self {
    case .temperature, .dewPoint:
      [
        "K": (1, -273.15), "kelvin": (1, -273.15), "degC": (1, 0), "deg_C": (1, 0),
        "degrees_C": (1, 0), "degree_Celsius": (1, 0), "Celsius": (1, 0), "celsius": (1, 0),
        "C": (1, 0), "°C": (1, 0), "deg C": (1, 0), "degree_C": (1, 0), "degrees Celsius": (1, 0),
        "Kelvin": (1, -273.15), "degF": (5.0 / 9, -160.0 / 9),
      ]
    case .humidity, .cloud:
      [
        "%": (1, 0), "percent": (1, 0), "Percent": (1, 0), "1": (100, 0), "": (100, 0),
        "(0 - 1)": (100, 0),
        "0-1": (100, 0), "okta": (12.5, 0), "oktas": (12.5, 0),
      ]
    case .mixingRatio, .specificHumidity:
      ["kg kg-1": (1, 0), "kg/kg": (1, 0), "1": (1, 0), "g kg-1": (0.001, 0), "g/kg": (0.001, 0)]
    case .rain, .convectiveRain:
      [
        "mm": (1, 0), "kg m-2": (1, 0), "kg/m2": (1, 0), "m": (1000, 0), "cm": (10, 0),
        "inch": (25.4, 0), "in": (25.4, 0), "kg m-2 s-1": (1, 0), "mm s-1": (1, 0),
        "kg/m2/s": (1, 0), "kg/(m2 s)": (1, 0), "mm/s": (1, 0), "mm hr-1": (1.0 / 3600, 0),
        "mm h-1": (1.0 / 3600, 0), "mm/h": (1.0 / 3600, 0), "m s-1": (1000, 0),
      ]
    case .windEast, .windNorth, .windSpeed, .windGust:
      [
        "m s-1": (1, 0), "m/s": (1, 0), "km h-1": (1 / 3.6, 0),
        "km/h": (1 / 3.6, 0), "knot": (1852.0 / 3600, 0), "knots": (1852.0 / 3600, 0),
        "kt": (1852.0 / 3600, 0), "kts": (1852.0 / 3600, 0), "mph": (0.44704, 0),
      ]
    case .windFrom:
      [
        "degree": (1, 0), "degrees": (1, 0), "deg": (1, 0), "rad": (180 / .pi, 0),
        "radian": (180 / .pi, 0),
      ]
    case .seaLevelPressure, .surfacePressure:
      [
        "Pa": (0.01, 0), "hPa": (1, 0), "mbar": (1, 0), "millibar": (1, 0), "millibars": (1, 0),
        "mb": (1, 0),
        "kPa": (10, 0), "mmHg": (1.333_223_874_15, 0), "inHg": (33.863_886_67, 0),
      ]
    case .elevation:
      [
        "m": (1, 0), "gpm": (1, 0), "metre": (1, 0), "meter": (1, 0), "km": (1000, 0),
        "ft": (0.3048, 0),
      ]
    }
  }

  /// Returns `true` if a unit is an amount per time.
  static func isRate(_ unit: String) -> Bool {
    [
      "kg m-2 s-1", "kg/m2/s", "kg/(m2 s)", "mm s-1", "mm/s", "mm h-1", "mm hr-1", "mm/h", "m s-1",
    ].contains(unit)
  }
}
