import CNetCDF
import Glibc

extension NetCDFFile {
  /// An attribute that is text; `nil` where there is none, or where it is a number.
  ///
  /// - Parameters:
  ///   - name: the attribute.
  ///   - variable: the variable that has it; the whole file unless given.
  /// - Returns: the text.
  package func text(_ name: String, of variable: String? = nil) -> String? {
    guard let id = place(of: variable) else { return nil }
    var kind: Int32 = 0
    var length = 0
    guard (try? call(name) { nc_inq_att($0, id, name, &kind, &length) }) != nil else { return nil }
    if kind == NC_STRING, length == 1 {
      var pointer: UnsafeMutablePointer<CChar>?
      guard (try? call(name) { nc_get_att_string($0, id, name, &pointer) }) != nil, let pointer
      else { return nil }
      defer { free(pointer) }
      return String(cString: pointer)
    }
    guard kind == NC_CHAR, length < 100_000 else { return nil }
    var bytes = [CChar](repeating: 0, count: length + 1)
    guard (try? call(name) { nc_get_att_text($0, id, name, &bytes) }) != nil else { return nil }
    return Self.string(bytes)
  }

  /// The `standard_name` of a variable; `nil` without one, and for what converters write if they know none.
  package func standardName(of variable: String) -> String? {
    guard let name = text("standard_name", of: variable)?.trimmedOfBlanks, !name.isEmpty,
      !["unknown", "none", "n/a", "undefined", "missing"].contains(name.lowercased())
    else { return nil }
    // A modifier follows a blank: `air_temperature standard_error` is no temperature, and stays whole.
    return name
  }

  /// An attribute that is numbers; nothing where there is none.
  package func numbers(_ name: String, of variable: String? = nil) -> [Double] {
    guard let id = place(of: variable) else { return [] }
    var kind: Int32 = 0
    var length = 0
    guard (try? call(name) { nc_inq_att($0, id, name, &kind, &length) }) != nil, kind != NC_CHAR,
      kind != NC_STRING, length < 10_000
    else { return [] }
    var values = [Double](repeating: 0, count: length)
    guard (try? call(name) { nc_get_att_double($0, id, name, &values) }) != nil else { return [] }
    return values
  }

  private func place(of variable: String?) -> Int32? {
    guard let variable else { return NC_GLOBAL }
    return number(of: variable)
  }

  /// The values of a window, as they are packed in the file.
  ///
  /// - Parameters:
  ///   - variable: the variable.
  ///   - start: where the window begins along each dimension.
  ///   - count: how long it is along each.
  /// - Returns: the numbers, the last dimension fastest.
  /// - Throws: ``ForecastFileError``.
  package func raw(_ variable: String, start: [Int], count: [Int]) throws(ForecastFileError)
    -> [Double]
  {
    guard let id = number(of: variable) else {
      throw ForecastFileError(file: name, reason: "it has no variable \(variable)")
    }
    var values = [Double](repeating: 0, count: count.reduce(1, *))
    try call(variable) { nc_get_vara_double($0, id, start, count, &values) }
    return values
  }

  /// The values of a window, unpacked; what is missing is no number (NaN).
  package func values(_ variable: String, start: [Int], count: [Int]) throws(ForecastFileError)
    -> [Double]
  {
    var values = try raw(variable, start: start, count: count)
    let packing = packing(of: variable)
    for index in values.indices { values[index] = packing.unpacked(values[index]) }
    return values
  }

  /// All values of a variable, unpacked.
  package func values(_ variable: String) throws(ForecastFileError) -> [Double] {
    let counts = try dimensions(of: variable).map(\.count)
    return try values(
      variable, start: counts.map { _ in 0 }, count: counts)
  }

  /// How the numbers of a variable are to be read.
  package func packing(of variable: String) -> Packing {
    Packing(
      scale: numbers("scale_factor", of: variable).first ?? 1,
      offset: numbers("add_offset", of: variable).first ?? 0,
      missing: numbers("_FillValue", of: variable) + numbers("missing_value", of: variable)
        + [defaultFill(of: variable)].compactMap { $0 },
      range: validRange(of: variable), unsigned: unsigned(of: variable))
  }

  /// What is added to a negative number of a type that the attribute `_Unsigned` declares as unsigned, as classic files
  /// write them; 0 for all others.
  private func unsigned(of variable: String) -> Double {
    guard let id = number(of: variable), text("_Unsigned", of: variable)?.lowercased() == "true"
    else { return 0 }
    var kind: Int32 = 0
    guard (try? call(variable) { nc_inq_vartype($0, id, &kind) }) != nil else { return 0 }
    switch kind {
    case NC_BYTE: return 256
    case NC_SHORT: return 65536
    case NC_INT: return 4_294_967_296
    default: return 0
    }
  }

  private func validRange(of variable: String) -> ClosedRange<Double> {
    let range = numbers("valid_range", of: variable)
    let low = numbers("valid_min", of: variable).first ?? (range.count == 2 ? range[0] : -.infinity)
    let high = numbers("valid_max", of: variable).first ?? (range.count == 2 ? range[1] : .infinity)
    return low <= high ? low...high : -(.infinity)...(.infinity)
  }

  /// What the library fills with where a file names nothing; bytes have no such value.
  private func defaultFill(of variable: String) -> Double? {
    guard let id = number(of: variable) else { return nil }
    var kind: Int32 = 0
    guard (try? call(variable) { nc_inq_vartype($0, id, &kind) }) != nil else { return nil }
    switch kind {
    case NC_SHORT: return -32767
    case NC_INT: return -2_147_483_647
    case NC_FLOAT: return Double(Float(9.9692099683868690e+36))
    case NC_DOUBLE: return 9.9692099683868690e+36
    case NC_USHORT: return 65535
    case NC_UINT: return 4_294_967_295
    default: return nil
    }
  }
}

/// How a packed number becomes a value: `packed * scale + offset`.
package struct Packing: Sendable {
  let scale: Double
  let offset: Double
  let missing: [Double]
  let range: ClosedRange<Double>
  /// What is added to negative numbers.
  var unsigned = 0.0

  /// The value; NaN for what is missing or outside of what the file calls valid.
  func unpacked(_ number: Double) -> Double {
    guard number.isFinite else { return .nan }
    let whole = number < 0 ? number + unsigned : number
    // A missing value of single precision is the number nearest to the attribute's.
    let isMissing = missing.contains {
      $0 == number || $0 == whole || (abs($0) > 1e9 && Float($0) == Float(number))
    }
    let isValid = range.contains(number) || unsigned > 0 && range.contains(whole)
    guard isValid, !isMissing else { return .nan }
    return whole * scale + offset
  }
}

extension NetCDFFile {
  /// The letters of a window.
  func letters(_ variable: String, start: [Int], count: [Int]) throws(ForecastFileError) -> String {
    guard let id = number(of: variable) else {
      throw ForecastFileError(file: name, reason: "it has no variable \(variable)")
    }
    var bytes = [CChar](repeating: 0, count: count.reduce(1, *) + 1)
    try call(variable) { nc_get_vara_text($0, id, start, count, &bytes) }
    return Self.string(bytes)
  }
}

extension String {
  /// Without blanks before and after.
  var trimmedOfBlanks: String {
    var rest = Substring(self)
    while rest.first?.isWhitespace == true { rest.removeFirst() }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return String(rest)
  }
}
