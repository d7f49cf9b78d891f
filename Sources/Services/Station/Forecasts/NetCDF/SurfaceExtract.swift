import CNetCDF
import Glibc
import ServiceMachine

/// Extracts the surface fields that the station uses from a model file, and stores them as packed
/// integers.
package struct SurfaceExtract {
  /// The result of an extraction.
  package struct Result: Sendable {
    /// The names of the variables that were written.
    package var variables: [String] = []
    /// The size of the input file in bytes.
    package var before = 0
    package var after = 0
  }

  private let source: NetCDFFile
  private let model: ModelFile
  private var output: Int32 = 0
  private var dimensions: [String: Int32] = [:]
  private let path: String

  /// Writes the surface fields of a file to a new file, either completely or not at all.
  ///
  /// - Parameters:
  ///   - input: The model file.
  ///   - path: The path of the new file (NetCDF-4 with deflate); an existing file is replaced when
  ///     the extract is complete.
  /// - Returns: The result of the extraction.
  /// - Throws: `ForecastFileError` if a file cannot be read or written.
  package static func run(_ input: String, to path: String) throws(ForecastFileError) -> Result {
    guard FileVersion(path: path) == nil || FileVersion(path: path) != FileVersion(path: input)
    else {
      throw ForecastFileError(file: path, reason: "it is the input file")
    }
    let draft = path + ".\(getpid()).part"
    do throws(ForecastFileError) {
      var extract = try SurfaceExtract(input, draft)
      var result = try extract.write()
      result.before = Self.size(input)
      result.after = Self.size(draft)
      guard rename(draft, path) == 0 else {
        throw ForecastFileError(file: path, reason: String(cString: strerror(errno)))
      }
      return result
    } catch {
      unlink(draft)
      throw error
    }
  }

  private static func size(_ path: String) -> Int {
    var facts = stat()
    return stat(path, &facts) == 0 ? Int(facts.st_size) : 0
  }

  private init(_ input: String, _ draft: String) throws(ForecastFileError) {
    source = try NetCDFFile(path: input)
    model = try ModelFile(source)
    path = draft
    try check(nc_create(draft, NC_NETCDF4 | NC_CLOBBER, &output))
  }

  private func check(_ status: Int32) throws(ForecastFileError) {
    guard status == NC_NOERR else {
      throw ForecastFileError(file: path, reason: String(cString: nc_strerror(status)))
    }
  }

  /// Writes all variables that the station reads, including those of the grid and the times.
  private mutating func write() throws(ForecastFileError) -> Result {
    var result = Result()
    do throws(ForecastFileError) {
      let fields = Set(model.sources.values.map(\.variable))
      // The extract needs the same variables that were used to read the original file.
      let describing = Set(model.describing)
      for name in try source.variables() {
        if fields.contains(name) {
          try writeField(name)
        } else if describing.contains(name) {
          try copy(name)
        } else {
          continue
        }
        result.variables.append(name)
      }
      try copyAttributes(from: NC_GLOBAL, to: NC_GLOBAL)
    } catch {
      nc_close(output)
      throw error
    }
    try check(nc_close(output))
    return result
  }

  private mutating func dimensionNumbers(_ name: String) throws(ForecastFileError) -> [Int32] {
    var numbers: [Int32] = []
    for dimension in try source.dimensions(of: name) {
      if let known = dimensions[dimension.name] {
        numbers.append(known)
        continue
      }
      var number: Int32 = 0
      try check(nc_def_dim(output, dimension.name, dimension.count, &number))
      dimensions[dimension.name] = number
      numbers.append(number)
    }
    return numbers
  }

  /// Copies a variable unchanged.
  private mutating func copy(_ name: String) throws(ForecastFileError) {
    guard let id = source.number(of: name) else { return }
    // The dimensions are defined by ID here, because nc_copy_var looks them up by name.
    _ = try dimensionNumbers(name)
    let output = output
    try source.call(name) { nc_copy_var($0, id, output) }
  }

  private func copyAttributes(from one: Int32, to other: Int32) throws(ForecastFileError) {
    var count: Int32 = 0
    try source.call("its attributes") { nc_inq_varnatts($0, one, &count) }
    for index in 0..<count {
      var name = [CChar](repeating: 0, count: Int(NC_MAX_NAME) + 1)
      try source.call("its attributes") { nc_inq_attname($0, one, index, &name) }
      let text = NetCDFFile.string(name)
      if [
        "scale_factor", "add_offset", "_FillValue", "missing_value", "valid_range", "valid_min",
        "valid_max", "actual_range", "_Unsigned",
      ]
      .contains(text), one != NC_GLOBAL {
        continue
      }
      if text.hasPrefix("_") { continue }
      let output = output
      try source.call(text) { nc_copy_att($0, one, text, output, other) }
    }
  }

  /// Writes a field as 16-bit integers over its range, or unchanged if the integers would be too
  /// coarse.
  ///
  /// The field is written window by window, so a large file is never in memory as a whole.
  private mutating func writeField(_ name: String) throws(ForecastFileError) {
    guard let id = source.number(of: name) else { return }
    let counts = try source.dimensions(of: name).map(\.count)
    let numbers = try dimensionNumbers(name)
    let steps = counts.count > 2 ? counts[0] : 1
    let window = counts.count > 2 ? [1] + counts.dropFirst() : counts
    func start(_ step: Int) -> [Int] {
      counts.count > 2 ? [step] + counts.dropFirst().map { _ in 0 } : counts.map { _ in 0 }
    }
    var (low, high) = (Double.infinity, -Double.infinity)
    for step in 0..<steps {
      for value in try source.values(name, start: start(step), count: window) where !value.isNaN {
        (low, high) = (min(low, value), max(high, value))
      }
    }
    if low > high { (low, high) = (0, 0) }
    var scale = (high - low) / 65000
    if scale == 0 { scale = 1 }
    var offset = (high + low) / 2
    let isWhole = scale > coarsest(name)
    var made: Int32 = 0
    try check(
      nc_def_var(
        output, name, isWhole ? NC_DOUBLE : NC_SHORT, Int32(counts.count), numbers, &made))
    try check(nc_def_var_deflate(output, made, 1, 1, 4))
    var (fill, missing) = (Int16(-32768), 9.9692099683868690e+36)
    if isWhole {
      try check(nc_put_att_double(output, made, "_FillValue", NC_DOUBLE, 1, &missing))
    } else {
      try check(nc_put_att_short(output, made, "_FillValue", NC_SHORT, 1, &fill))
      try check(nc_put_att_double(output, made, "scale_factor", NC_DOUBLE, 1, &scale))
      try check(nc_put_att_double(output, made, "add_offset", NC_DOUBLE, 1, &offset))
    }
    try copyAttributes(from: id, to: made)
    if name == model.sources[.rain]?.variable, let word = model.rain?.kind.word {
      try check(nc_put_att_text(output, made, "aneroid_rain", word.utf8.count, word))
    }
    for step in 0..<steps {
      let values = try source.values(name, start: start(step), count: window)
      if isWhole {
        let whole = values.map { $0.isNaN ? missing : $0 }
        try check(nc_put_vara_double(output, made, start(step), window, whole))
      } else {
        let packed = values.map { $0.isNaN ? fill : Int16((($0 - offset) / scale).rounded()) }
        try check(nc_put_vara_short(output, made, start(step), window, packed))
      }
    }
  }

  /// Returns the maximum quantization step of a field, in the file's unit.
  ///
  /// For rain it is 0.001 mm, or 0.001 mm/h for a rate, because rain is computed as a difference of
  /// values.
  private func coarsest(_ name: String) -> Double {
    for field in [Field.rain, .convectiveRain] {
      if let source = model.sources[field], source.variable == name {
        return (source.isRate ? 0.001 / 3600 : 0.001) / source.scale
      }
    }
    return .infinity
  }
}
